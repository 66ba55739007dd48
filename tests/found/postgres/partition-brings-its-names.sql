-- partitions that are attached keep the names of their NOT NULL, and take them along
-- #
CREATE TABLE p (id int NOT NULL, v int NOT NULL, w int) PARTITION BY RANGE (id);
-- #
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10);
-- to
-- #
CREATE TABLE p (id int NOT NULL, v int NOT NULL, w int NOT NULL) PARTITION BY RANGE (id);
-- #
CREATE TABLE p1 (id int NOT NULL, v int NOT NULL, w int);
-- #
CREATE TABLE p3 (id int NOT NULL, v int CONSTRAINT mine NOT NULL, w int NOT NULL);
-- #
ALTER TABLE p ATTACH PARTITION p3 FOR VALUES FROM (10) TO (20);
