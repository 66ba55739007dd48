-- numbers for rows that are there are given while nobody writes
-- with rows
-- #
CREATE TABLE `T1` (
  `state` varchar(10) NOT NULL
);
-- to
-- #
CREATE TABLE `T1` (
  `id` int NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'counts',
  `owner_id` bigint GENERATED ALWAYS AS (char_length(`state`)) STORED,
  `state` varchar(10) NOT NULL
);
