-- a column that counts by itself leads a key from its first moment to its last, whichever key that is
-- with rows
-- #
CREATE TABLE `goes` (`id` int PRIMARY KEY, `n` int NOT NULL AUTO_INCREMENT, KEY `k` (`n`, `id`));
-- #
CREATE TABLE `comes` (`id` int PRIMARY KEY, `m` int);
-- #
CREATE TABLE `stops` (`id` int PRIMARY KEY, `n` int NOT NULL AUTO_INCREMENT, KEY `k` (`n`));
-- #
CREATE TABLE `starts` (`id` int PRIMARY KEY, `n` int NOT NULL);
-- #
CREATE TABLE `other_key` (`id` int PRIMARY KEY, `n` int NOT NULL AUTO_INCREMENT, KEY `k` (`n`));
-- #
CREATE TABLE `same_name` (`id` int PRIMARY KEY, `n` int NOT NULL AUTO_INCREMENT, KEY `k` (`n`));
-- #
CREATE TABLE `to_primary` (`id` int NOT NULL, `n` int NOT NULL AUTO_INCREMENT, UNIQUE KEY `k` (`n`), PRIMARY KEY (`id`));
-- #
CREATE TABLE `from_primary` (`id` int NOT NULL, `n` int NOT NULL AUTO_INCREMENT, PRIMARY KEY (`n`));
-- #
CREATE TABLE `one_stays` (`id` int NOT NULL, `n` int NOT NULL AUTO_INCREMENT, PRIMARY KEY (`n`), KEY `k` (`n`, `id`));
-- to
-- #
CREATE TABLE `goes` (`id` int PRIMARY KEY, `x` int);
-- #
CREATE TABLE `comes` (`id` int PRIMARY KEY, `n` int NOT NULL AUTO_INCREMENT, UNIQUE KEY `k` (`n`, `id`));
-- #
CREATE TABLE `stops` (`id` int PRIMARY KEY, `n` int NOT NULL);
-- #
CREATE TABLE `starts` (`id` int PRIMARY KEY, `n` int NOT NULL AUTO_INCREMENT, KEY `k` (`n`));
-- #
CREATE TABLE `other_key` (`id` int PRIMARY KEY, `n` int NOT NULL AUTO_INCREMENT, UNIQUE KEY `j` (`n`, `id`));
-- #
CREATE TABLE `same_name` (`id` int PRIMARY KEY, `n` int NOT NULL AUTO_INCREMENT, UNIQUE KEY `k` (`n`));
-- #
CREATE TABLE `to_primary` (`id` int NOT NULL, `n` int NOT NULL AUTO_INCREMENT, PRIMARY KEY (`n`));
-- #
CREATE TABLE `from_primary` (`id` int NOT NULL, `n` int NOT NULL AUTO_INCREMENT, PRIMARY KEY (`id`), KEY `k` (`n`));
-- #
CREATE TABLE `one_stays` (`id` int NOT NULL, `n` int NOT NULL AUTO_INCREMENT, PRIMARY KEY (`n`), KEY `j` (`id`));
