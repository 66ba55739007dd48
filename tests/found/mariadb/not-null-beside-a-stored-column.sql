-- a column beside a stored computed one takes no NULL any more
-- #
CREATE TABLE `T1` (
  `id` int PRIMARY KEY,
  `b` int,
  `v` bigint GENERATED ALWAYS AS (`id` * 2) STORED
);
-- to
-- #
CREATE TABLE `T1` (
  `id` int PRIMARY KEY,
  `b` int NOT NULL,
  `v` bigint GENERATED ALWAYS AS (`id` * 2) STORED
);
