-- a foreign key and a check get other names, which only making them again gives them
-- #
CREATE TABLE `p` (`id` int PRIMARY KEY);
-- #
CREATE TABLE `c` (`id` int PRIMARY KEY, `p_id` int, CONSTRAINT `one` FOREIGN KEY (`p_id`) REFERENCES `p` (`id`), CONSTRAINT `small` CHECK (`id` < 9));
-- to
-- #
CREATE TABLE `p` (`id` int PRIMARY KEY);
-- #
CREATE TABLE `c` (`id` int PRIMARY KEY, `p_id` int, CONSTRAINT `other` FOREIGN KEY (`p_id`) REFERENCES `p` (`id`), CONSTRAINT `tiny` CHECK (`id` < 9));
