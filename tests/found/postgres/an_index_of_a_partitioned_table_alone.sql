-- an index made ON ONLY a partitioned table becomes one of all partitions when theirs are attached, and back
-- with rows
-- #
CREATE TABLE p (id int NOT NULL, a int, PRIMARY KEY (id)) PARTITION BY RANGE (id);
-- #
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (100);
-- #
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (100) TO (200);
-- #
CREATE INDEX grows ON ONLY p (a);
-- #
CREATE INDEX shrinks ON p (a, id);
-- #
CREATE INDEX keeps ON ONLY p (id, a);
-- to
-- #
CREATE TABLE p (id int NOT NULL, a int, PRIMARY KEY (id)) PARTITION BY RANGE (id);
-- #
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (100);
-- #
CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (100) TO (200);
-- #
CREATE INDEX grows ON ONLY p (a);
-- #
CREATE INDEX p1_grows ON p1 (a);
-- #
ALTER INDEX grows ATTACH PARTITION p1_grows;
-- #
CREATE INDEX p2_grows ON p2 (a);
-- #
ALTER INDEX grows ATTACH PARTITION p2_grows;
-- #
CREATE INDEX shrinks ON ONLY p (a, id);
-- #
CREATE INDEX p1_a_id_idx ON p1 (a, id);
-- #
ALTER INDEX shrinks ATTACH PARTITION p1_a_id_idx;
-- #
CREATE INDEX keeps ON ONLY p (id, a);
