-- a column that begins to refuse NULL in a family of partitions, one of which calls that otherwise and one of which has refused it before
-- #
CREATE TABLE t (id integer NOT NULL, w int) PARTITION BY RANGE (id);
-- #
CREATE TABLE t1 (id integer NOT NULL, w int);
-- #
CREATE TABLE t2 (id integer NOT NULL, w int CONSTRAINT mine NOT NULL);
-- #
CREATE TABLE t3 PARTITION OF t FOR VALUES FROM (20) TO (30);
-- #
ALTER TABLE t ATTACH PARTITION t1 FOR VALUES FROM (0) TO (10);
-- #
ALTER TABLE t ATTACH PARTITION t2 FOR VALUES FROM (10) TO (20);
-- to
-- #
CREATE TABLE t (id integer NOT NULL, w int NOT NULL) PARTITION BY RANGE (id);
-- #
CREATE TABLE t1 (id integer NOT NULL, w int NOT NULL);
-- #
CREATE TABLE t2 (id integer NOT NULL, w int CONSTRAINT mine NOT NULL);
-- #
CREATE TABLE t3 PARTITION OF t FOR VALUES FROM (20) TO (30);
-- #
ALTER TABLE t ATTACH PARTITION t1 FOR VALUES FROM (0) TO (10);
-- #
ALTER TABLE t ATTACH PARTITION t2 FOR VALUES FROM (10) TO (20);
