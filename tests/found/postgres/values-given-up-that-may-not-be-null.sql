-- a hint gives up the values of a column that refuses NULL
-- with rows
-- #
CREATE TABLE t (id int PRIMARY KEY, qty integer[] NOT NULL);
-- to
-- #
CREATE TABLE t (id int PRIMARY KEY, qty point NOT NULL);
