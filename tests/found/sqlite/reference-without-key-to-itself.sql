-- seed 2020: error
-- #
CREATE TABLE `audit_log` (
  id INTEGER PRIMARY KEY
) WITHOUT ROWID;
-- to
-- #
CREATE TABLE `audit_log` (
  id INTEGER PRIMARY KEY,
  "First Name" DEFAULT NULL NULL,
  name DOUBLE PRECISION,
  state DOUBLE PRECISION GENERATED ALWAYS AS ("First Name" IS NULL),
  FOREIGN KEY (state, "First Name", name) REFERENCES "audit_log"(id, "First Name", name) ON UPDATE RESTRICT,
  CONSTRAINT "c276" UNIQUE ("First Name", `name`, `id` COLLATE NOCASE)
);
