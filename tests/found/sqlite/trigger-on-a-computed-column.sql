-- seed 2487: error
-- #
CREATE TABLE [Invoice] (
  "rank" ANY UNIQUE ON CONFLICT IGNORE
) STRICT;
-- to
-- #
CREATE TABLE `audit_log` (
  id INTEGER PRIMARY KEY
) STRICT, WITHOUT ROWID;
-- #
CREATE TABLE [Invoice] (
  note ANY COLLATE RTRIM,
  "rank" ANY UNIQUE ON CONFLICT IGNORE,
  "group" INT AS (coalesce("rank", 0)) STORED CONSTRAINT "must be" NOT NULL
) STRICT;
-- #
CREATE TRIGGER "users_trg"  UPDATE OF "group" ON "Invoice" FOR EACH ROW BEGIN
  DELETE FROM "Invoice" WHERE "rank" = -new."group" AND 1 = 0;
  UPDATE "audit_log" SET id = new."group" % 10 WHERE id = 'no; such';
END;
