-- a rule that stays, over a column that is computed from now on
-- with rows
-- #
CREATE TABLE `a.b` (
  id INTEGER PRIMARY KEY,
  name BLOB,
  "key" TEXT,
  CHECK ("key" LIKE 'v%')
) STRICT, WITHOUT ROWID;
-- to
-- #
CREATE TABLE `a.b` (
  id INTEGER PRIMARY KEY,
  name BLOB,
  "key" ANY GENERATED ALWAYS AS (typeof(name)) NOT NULL,
  CHECK ("key" LIKE 'v%')
) STRICT, WITHOUT ROWID;
