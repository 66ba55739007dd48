-- seed 11: error
-- #
CREATE TABLE `audit_log` (
  `id` int PRIMARY KEY,
  `déjà` int DEFAULT '7',
  `note` datetime
) COMMENT='what it''s for; x';
-- #
CREATE VIEW `naïve_v` AS SELECT `id`, `note`, `déjà` FROM `audit_log` UNION ALL SELECT `id`, `note`, `déjà` FROM `audit_log`;
-- to
-- #
CREATE TABLE `x'y` (
  `x``y` varchar(30) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT 'a;b' INVISIBLE CHECK (`x``y` <> ''),
  `déjà` int unsigned COMMENT 'a note'
);
-- #
CREATE ALGORITHM=MERGE VIEW `select_v` AS SELECT a.`déjà`, a.`x``y` FROM `x'y` a JOIN `x'y` b ON a.`déjà` = b.`déjà`;
-- #
CREATE VIEW `naïve_v` AS SELECT `déjà` FROM `select_v` WHERE NOT (`déjà` > 0) WITH CASCADED CHECK OPTION;
