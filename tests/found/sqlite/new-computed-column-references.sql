-- a new column that is computed references rows that are not there
-- with rows
-- #
CREATE TABLE "items" (
  id INTEGER PRIMARY KEY,
  data ANY
) STRICT;
-- to
-- #
CREATE TABLE "items" (
  id INTEGER PRIMARY KEY,
  data ANY,
  "rank" ANY GENERATED ALWAYS AS (data IS NULL) REFERENCES "items"(id) ON DELETE SET NULL
) STRICT;
