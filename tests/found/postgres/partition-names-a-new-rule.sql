-- partitions that were attached call the NOT NULL of a new column by their own names, those that were made as such by their parent's
-- with rows
-- #
CREATE TABLE t (id integer NOT NULL, a boolean NOT NULL, w int) PARTITION BY LIST (a);
-- #
CREATE TABLE t_no (id integer NOT NULL, a boolean NOT NULL, w int);
-- #
CREATE TABLE t_yes PARTITION OF t FOR VALUES IN (true);
-- #
ALTER TABLE t ATTACH PARTITION t_no FOR VALUES IN (false);
-- to
-- #
CREATE TABLE t (id integer NOT NULL, a boolean NOT NULL, w int, number integer DEFAULT 5 NOT NULL) PARTITION BY LIST (a);
-- #
CREATE TABLE t_no (id integer NOT NULL, a boolean NOT NULL, w int, number integer DEFAULT 5 NOT NULL);
-- #
CREATE TABLE t_yes PARTITION OF t FOR VALUES IN (true);
-- #
ALTER TABLE t ATTACH PARTITION t_no FOR VALUES IN (false);
