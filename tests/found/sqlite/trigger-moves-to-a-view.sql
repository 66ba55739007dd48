-- seed 57: error
-- #
CREATE TABLE `select` (
  id INTEGER PRIMARY KEY,
  email DATETIME UNIQUE REFERENCES "select" ON DELETE SET DEFAULT,
  name DOUBLE PRECISION DEFAULT 0.5 NOT NULL ON CONFLICT ABORT collate nocase REFERENCES "select" ON DELETE SET DEFAULT
);
-- #
CREATE TRIGGER "tag_trg"  INSERT ON "select" WHEN length(new.email) < 50 BEGIN
  SELECT RAISE(IGNORE) WHERE 1 = 2;
END;
-- to
-- #
CREATE TABLE "main" (
  id TEXT PRIMARY KEY,
  "price" INTEGER DEFAULT -5 NOT NULL collate nocase
) STRICT;
-- #
CREATE VIEW [sessions_v] (plain_0, plain_1) AS SELECT a.id, a.price FROM "main" AS a left outer join "main" b ON a.id = b.id;
-- #
CREATE TRIGGER "tag_trg" INSTEAD OF DELETE ON "sessions_v" BEGIN
  SELECT RAISE(IGNORE) WHERE 1 = 2;
END;
