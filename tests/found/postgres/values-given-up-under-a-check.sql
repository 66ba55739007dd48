-- a hint gives up the values of a column whose new check they must satisfy
-- with rows
-- #
CREATE TABLE t (id int PRIMARY KEY, qty integer[]);
-- to
-- #
CREATE TABLE t (id int PRIMARY KEY, qty varchar, CONSTRAINT c CHECK (qty IS NOT NULL));
