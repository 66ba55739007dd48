-- a value for every row that nobody can be asked for
-- #
CREATE TABLE t (id INTEGER PRIMARY KEY);
-- #
INSERT INTO t VALUES (1);
-- to
-- #
CREATE TABLE p (k TEXT PRIMARY KEY);
-- #
CREATE TABLE t (id INTEGER PRIMARY KEY, k TEXT DEFAULT 'a' REFERENCES p (k));
