-- columns of an heir's own that have neither the default nor the storage of its parents
-- to
-- #
CREATE TABLE a (x text COMPRESSION pglz DEFAULT 'q', y integer DEFAULT 4);
-- #
ALTER TABLE a ALTER COLUMN x SET STORAGE external;
-- #
CREATE TABLE b (y integer DEFAULT 5);
-- #
CREATE TABLE c (x text, y integer NOT NULL);
-- #
ALTER TABLE c INHERIT a;
-- #
ALTER TABLE c INHERIT b;
-- #
CREATE TABLE d (x text DEFAULT 'w', y integer DEFAULT 9) INHERITS (a, b);
-- #
ALTER TABLE d ALTER COLUMN x SET STORAGE main;
