-- seed 2247: error
-- #
CREATE TABLE "users" (
  [state] VARCHAR(20)
);
-- to
-- #
CREATE TABLE "users" (
  id INT NOT NULL PRIMARY KEY DESC,
  [state] VARCHAR(20),
  CONSTRAINT "c266" FOREIGN KEY (state, id) REFERENCES "users"(state, id) ON DELETE RESTRICT
);
-- #
CREATE UNIQUE INDEX "main_idx" ON [users] (`state`, id COLLATE NOCASE);
