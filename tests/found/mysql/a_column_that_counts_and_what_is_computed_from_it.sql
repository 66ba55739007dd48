-- a column that counts by itself is in no computed column and in no check: those go first, or come last
-- with rows
-- #
CREATE TABLE `order items` (
  `id` int PRIMARY KEY,
  `code` bigint GENERATED ALWAYS AS (`id` + 1) VIRTUAL,
  `data` bigint GENERATED ALWAYS AS (`id` * 2) STORED,
  CONSTRAINT `c` CHECK (`id` > 0)
);
-- #
CREATE TABLE `counts` (`id` int AUTO_INCREMENT PRIMARY KEY, `n` int);
-- to
-- #
CREATE TABLE `order items` (
  `id` int NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'counts',
  `code` char(3) DEFAULT NULL,
  `state` int DEFAULT NULL
);
-- #
CREATE TABLE `counts` (
  `id` int PRIMARY KEY,
  `n` int,
  `code` bigint GENERATED ALWAYS AS (`id` + 1) VIRTUAL,
  `data` bigint GENERATED ALWAYS AS (`id` * 2) STORED,
  CONSTRAINT `c` CHECK (`id` > 0)
);
