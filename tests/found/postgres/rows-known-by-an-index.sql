-- replication knows rows by an index that is new as well
-- #
CREATE TABLE u (id int NOT NULL, v int);
-- to
-- #
CREATE TABLE u (id int NOT NULL, v int);
-- #
CREATE UNIQUE INDEX u_r ON u (id);
-- #
ALTER TABLE u REPLICA IDENTITY USING INDEX u_r;
-- #
CREATE TABLE t (id int NOT NULL, v int);
-- #
CREATE UNIQUE INDEX t_r ON t (id);
-- #
ALTER TABLE t REPLICA IDENTITY USING INDEX t_r;
-- #
CREATE TABLE k (id int PRIMARY KEY);
-- #
ALTER TABLE k REPLICA IDENTITY USING INDEX k_pkey;
