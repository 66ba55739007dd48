-- a new column that takes no NULL and whose default is NULL
-- with rows
-- #
CREATE TABLE "main" (
  id INTEGER PRIMARY KEY AUTOINCREMENT
) STRICT;
-- to
-- #
CREATE TABLE "main" (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  data REAL DEFAULT NULL NOT NULL REFERENCES "main"(id)
) STRICT;
