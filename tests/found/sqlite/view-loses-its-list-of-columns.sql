-- a view names its columns no more
-- #
CREATE TABLE "a.b" (id TEXT PRIMARY KEY);
-- #
CREATE VIEW v (plain_0) AS SELECT id FROM "a.b";
-- #
CREATE VIEW w AS SELECT id FROM "a.b";
-- to
-- #
CREATE TABLE "a.b" (id TEXT PRIMARY KEY);
-- #
CREATE VIEW v AS SELECT id FROM "a.b";
-- #
CREATE VIEW w (other) AS SELECT id FROM "a.b";
