-- a key over whole texts, and a default that reads another column: both by a copy
-- with rows
-- #
CREATE TABLE t (a int, x text);
-- to
-- #
CREATE TABLE t (a int, x text, z int DEFAULT (a + 1), UNIQUE u (x));
