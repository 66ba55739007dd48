-- the server prints a range beside another condition as a list in a list
-- #
CREATE TABLE old (note bigint NOT NULL);
-- to
-- #
CREATE TABLE old (note bigint NOT NULL CHECK (note NOT BETWEEN 5 AND 6 OR note = 5 OR note IS NULL));
-- #
CREATE TABLE sessions (
  note bigint NOT NULL CONSTRAINT "note ok" CHECK (note BETWEEN 1 AND 1000 AND note IS NOT NULL)
);
-- #
CREATE VIEW v AS SELECT note FROM sessions WHERE note BETWEEN 1 AND 5 AND note <> 3;
-- #
CREATE INDEX i ON sessions (note) WHERE note BETWEEN 1 AND 5 AND note <> 3;
