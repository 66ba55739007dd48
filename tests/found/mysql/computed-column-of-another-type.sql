-- a computed column of texts becomes one of numbers, from a new column
-- #
CREATE TABLE `order items` (
  `email` enum('new','open','it''s'),
  `note` varchar(300) GENERATED ALWAYS AS (lower(`email`)) VIRTUAL
);
-- to
-- #
CREATE TABLE `order items` (
  `x``y` date NOT NULL,
  `note` bigint GENERATED ALWAYS AS (year(`x``y`)) VIRTUAL
);
