-- the only key of a table begins to count, and is of another type
-- with rows
-- #
CREATE TABLE `we``ird` (`id` smallint NOT NULL PRIMARY KEY, `b` int);
-- #
CREATE TABLE `other` (`id` int NOT NULL PRIMARY KEY, `b` int NOT NULL, UNIQUE KEY `b` (`b`));
-- to
-- #
CREATE TABLE `we``ird` (`id` int NOT NULL AUTO_INCREMENT PRIMARY KEY COMMENT 'counts', `b` int);
-- #
CREATE TABLE `other` (`id` int NOT NULL AUTO_INCREMENT PRIMARY KEY, `b` int NOT NULL, UNIQUE KEY `b` (`b`));
