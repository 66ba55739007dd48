-- a column that a secondary engine leaves out, and one that it takes up again
-- #
CREATE TABLE t (id int PRIMARY KEY, a int /*!80013 NOT SECONDARY */, b int);
-- to
-- #
CREATE TABLE t (id int PRIMARY KEY, a int, b int /*!80013 NOT SECONDARY */, c int);
