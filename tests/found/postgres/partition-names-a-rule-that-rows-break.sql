-- a new column without a value for the rows of a family of partitions, one of which calls its NOT NULL otherwise
-- with rows
-- #
CREATE TABLE t (id integer NOT NULL, a boolean NOT NULL) PARTITION BY LIST (a);
-- #
CREATE TABLE t_no (id integer NOT NULL, a boolean NOT NULL);
-- #
CREATE TABLE t_yes PARTITION OF t FOR VALUES IN (true);
-- #
ALTER TABLE t ATTACH PARTITION t_no FOR VALUES IN (false);
-- to
-- #
CREATE TABLE t (id integer NOT NULL, a boolean NOT NULL, number integer NOT NULL) PARTITION BY LIST (a);
-- #
CREATE TABLE t_no (id integer NOT NULL, a boolean NOT NULL, number integer NOT NULL);
-- #
CREATE TABLE t_yes PARTITION OF t FOR VALUES IN (true);
-- #
ALTER TABLE t ATTACH PARTITION t_no FOR VALUES IN (false);
