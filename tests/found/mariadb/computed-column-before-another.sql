-- a computed column takes its place before another, and goes from there
-- with rows
-- #
CREATE TABLE `t` (`a` int PRIMARY KEY, `w` int AS (`a` + 1) VIRTUAL);
-- #
CREATE TABLE `u` (`a` int PRIMARY KEY, `v` int AS (`a` + 1) VIRTUAL, `w` int AS (`a` + 1) VIRTUAL);
-- to
-- #
CREATE TABLE `t` (`v` int AS (`a` + 1) VIRTUAL, `a` int PRIMARY KEY, `w` int AS (`a` + 1) VIRTUAL);
-- #
CREATE TABLE `u` (`a` int PRIMARY KEY, `w` int AS (`a` + 1) VIRTUAL);
