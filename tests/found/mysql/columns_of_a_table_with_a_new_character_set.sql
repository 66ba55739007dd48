-- new columns have the character set from the table, which gets it in the same plan; the server remembers a set that was spelled out
-- #
CREATE TABLE `T1` (`code` float DEFAULT 0.5) DEFAULT CHARSET=latin1;
-- #
CREATE TABLE `T2` (`id` int PRIMARY KEY, `name` varchar(40) CHARACTER SET latin1) COMMENT='x' PARTITION BY KEY (id) PARTITIONS 2;
-- #
CREATE TABLE `T3` (`id` int PRIMARY KEY, `name` varchar(40) CHARACTER SET utf8mb4, `other` varchar(9)) DEFAULT CHARSET=latin1;
-- #
CREATE TABLE `T4` (`id` int PRIMARY KEY, `name` varchar(40)) DEFAULT CHARSET=latin1;
-- to
-- #
CREATE TABLE `T1` (`email` set('new','b','c')) COMMENT='y';
-- #
CREATE TABLE `T2` (`id` int PRIMARY KEY, `email` mediumtext NOT NULL) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci
PARTITION BY LIST (id) (PARTITION a VALUES IN (1, 2, 3), PARTITION b VALUES IN (4, 5));
-- #
CREATE TABLE `T3` (`id` int PRIMARY KEY, `name` varchar(50) NOT NULL DEFAULT 'x', `other` varchar(9)) DEFAULT CHARSET=utf8mb4;
-- #
CREATE TABLE `T4` (`id` int PRIMARY KEY, `more` varchar(7), KEY (`more`), CHECK (`more` <> '')) DEFAULT CHARSET=utf8mb4;
