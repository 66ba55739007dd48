-- a column that counts goes with its key, and another comes before the rest
-- #
CREATE TABLE `notes` (
  `id` bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `state` decimal(12,4) unsigned
);
-- to
-- #
CREATE TABLE `notes` (
  `déjà` decimal(20,4) GENERATED ALWAYS AS (`state` / 2) STORED,
  `state` decimal(12,4) unsigned
);
