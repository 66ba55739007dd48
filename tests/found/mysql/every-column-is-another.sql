-- seed 2: a table without columns is no table
-- #
CREATE TABLE t (a int, b int);
-- to
-- #
CREATE TABLE t (c int, d varchar(20));
