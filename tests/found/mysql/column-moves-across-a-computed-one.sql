-- a column moves to the other side of a computed one
-- with rows
-- #
CREATE TABLE `order items` (
  `rank` set('new','b','c') DEFAULT NULL,
  `key` varchar(300) GENERATED ALWAYS AS (substr(`rank`, 1, 3)),
  `note` varbinary(16)
);
-- to
-- #
CREATE TABLE `order items` (
  `rank` set('new','b','c') DEFAULT NULL,
  `note` varbinary(16),
  `key` varchar(300) GENERATED ALWAYS AS (substr(`rank`, 1, 3))
);
