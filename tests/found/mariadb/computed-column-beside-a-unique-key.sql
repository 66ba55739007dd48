-- a computed column goes, and its unique key
-- with rows
-- #
CREATE TABLE `users` (
  `x``y` date NOT NULL,
  `rank` bigint GENERATED ALWAYS AS (year(`x``y`)) VIRTUAL,
  UNIQUE KEY `k54` (`rank`)
);
-- to
-- #
CREATE TABLE `users` (
  `rank` bit(4) DEFAULT NULL
);
