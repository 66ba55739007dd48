-- the default of a new column references a column that is new as well
-- with rows
-- #
CREATE TABLE [notes] (
  id INTEGER PRIMARY KEY AUTOINCREMENT
);
-- #
CREATE TABLE "a.b" (
  id TEXT PRIMARY KEY
) WITHOUT ROWID;
-- to
-- #
CREATE TABLE [notes] (
  qty REAL UNIQUE
);
-- #
CREATE TABLE "a.b" (
  id TEXT PRIMARY KEY,
  owner_id TEXT DEFAULT ('a' || 'b') REFERENCES "notes"(qty)
) WITHOUT ROWID;
