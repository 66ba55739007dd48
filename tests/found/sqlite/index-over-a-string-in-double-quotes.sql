-- double quotes around what is no column make a string of it
-- #
CREATE TABLE t (a, b);
-- #
CREATE INDEX i ON t ("nope", a);
-- #
CREATE INDEX j ON t (a) WHERE "zzz" > b;
-- to
-- #
CREATE TABLE t (a, b INTEGER);
-- #
CREATE INDEX i ON t ("nope", a DESC);
-- #
CREATE INDEX j ON t (a) WHERE "zzz" > b;
