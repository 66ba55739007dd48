-- seed 20261680: error
-- with rows
-- #
CREATE TABLE "Group" (
  "qty" BOOLEAN NULL COLLATE RTRIM
);
-- to
-- #
CREATE TABLE "Group" (
  [key] REAL DEFAULT 1e3 COLLATE RTRIM,
  UNIQUE ("key")
) STRICT;
