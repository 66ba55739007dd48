-- an ALTER turns the texts of a check into the character set of the column beside them
-- #
CREATE TABLE `Invoice` (
  `id` int PRIMARY KEY,
  `state` varchar(40) CHARACTER SET latin1,
  CONSTRAINT `Invoice k364` CHECK ((`state` <> '' OR `id` IN (1, 2, 3)))
) DEFAULT CHARSET=latin1;
-- to
-- #
CREATE TABLE `Invoice` (
  `id` int PRIMARY KEY,
  `state` varchar(40) CHARACTER SET latin1,
  CONSTRAINT `Invoice k802` CHECK (`state` IS NOT NULL AND `id` % 7 <> 5),
  CONSTRAINT `Invoice k364` CHECK ((`state` <> '' OR `id` IN (1, 2, 3)))
) DEFAULT CHARSET=latin1;
