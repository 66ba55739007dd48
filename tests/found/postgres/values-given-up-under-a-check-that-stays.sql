-- a hint gives up the values of a column whose check stays as it is
-- with rows
-- #
CREATE TABLE t (id int PRIMARY KEY, qty integer[], CONSTRAINT c CHECK (qty IS NOT NULL OR id < 0));
-- to
-- #
CREATE TABLE t (id int PRIMARY KEY, qty varchar, CONSTRAINT c CHECK (qty IS NOT NULL OR id < 0));
