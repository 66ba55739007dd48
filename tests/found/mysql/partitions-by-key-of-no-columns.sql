-- the catalog does not call a table partitioned whose partitions are by its primary key
-- with rows
-- #
CREATE TABLE gone (a int PRIMARY KEY) PARTITION BY KEY () PARTITIONS 2;
-- #
CREATE TABLE stays (a int PRIMARY KEY) PARTITION BY KEY () PARTITIONS 3;
-- #
CREATE TABLE made (a int PRIMARY KEY);
-- #
CREATE TABLE named (a int PRIMARY KEY) PARTITION BY KEY () (PARTITION x, PARTITION y);
-- to
-- #
CREATE TABLE gone (a int PRIMARY KEY);
-- #
CREATE TABLE stays (a int PRIMARY KEY, b int) PARTITION BY KEY () PARTITIONS 3;
-- #
CREATE TABLE made (a int PRIMARY KEY) PARTITION BY KEY () PARTITIONS 4;
-- #
CREATE TABLE named (a int PRIMARY KEY) PARTITION BY KEY () (PARTITION x, PARTITION y, PARTITION z);
