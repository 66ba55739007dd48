-- a column of any values becomes the number of its row
-- with rows
-- #
CREATE TABLE "orders" (
  id BLOB
);
-- to
-- #
CREATE TABLE "orders" (
  id INTEGER PRIMARY KEY AUTOINCREMENT
);
