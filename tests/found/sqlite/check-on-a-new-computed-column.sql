-- a rule over a new column that is computed from a new column
-- with rows
-- #
CREATE TABLE `a.b` (
  id INTEGER PRIMARY KEY
) STRICT, WITHOUT ROWID;
-- to
-- #
CREATE TABLE `a.b` (
  id INTEGER PRIMARY KEY,
  `First Name` BLOB CHECK (typeof(`First Name`) <> 'real'),
  "key" ANY GENERATED ALWAYS AS (typeof("First Name")) NOT NULL,
  CHECK ("key" LIKE 'v%')
) STRICT, WITHOUT ROWID;
