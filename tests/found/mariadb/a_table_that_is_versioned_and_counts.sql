-- seed 20261314: error
-- #
CREATE TABLE `order items` (
  `id` int PRIMARY KEY,
  `code` bigint GENERATED ALWAYS AS (`id` + 1) VIRTUAL,
  `data` bigint GENERATED ALWAYS AS (`id` * 2) STORED
) COMMENT='what it''s for; x';
-- to
-- #
CREATE TABLE `order items` (
  `id` int NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'counts',
  `code` char(3) DEFAULT NULL,
  `state` int DEFAULT NULL
) ROW_FORMAT=COMPRESSED WITH SYSTEM VERSIONING;

