-- a type that the server makes nothing sensible of, and a hint that it takes no words for
-- #
CREATE TABLE t (id int PRIMARY KEY, d date);
-- to
-- #
-- trueup: using t.d = 5
CREATE TABLE t (id int PRIMARY KEY, d mediumint unsigned);
