-- A unique index over an expression goes by a copy; others go in place. In place was asserted for all.
-- (MariaDB has none, and passes over these comments.)
-- with rows
-- #
CREATE TABLE one (
  id int PRIMARY KEY,
  a int
  /*!80013 , UNIQUE KEY f ((a + 1)) */
);
-- #
CREATE TABLE two (
  id int PRIMARY KEY,
  a int
  /*!80013 , KEY g ((a + 3)), UNIQUE KEY f ((a + 1)) */
);
-- to
-- #
CREATE TABLE one (
  id int PRIMARY KEY,
  a int
);
-- #
CREATE TABLE two (
  id int PRIMARY KEY,
  a int
  /*!80013 , KEY g ((a + 3)) */
);
