-- seed 45: not converged
-- to
-- #
CREATE TABLE `orders` (
  id INT NOT NULL PRIMARY KEY DESC,
  "note" REAL GENERATED ALWAYS AS ((id + 3) * 2) STORED NOT NULL UNIQUE,
  "createdAt" TEXT DEFAULT NULL
) STRICT, WITHOUT ROWID;
-- #
CREATE UNIQUE INDEX "T1_idx" ON `orders` ("createdAt" || '!' DESC, round(note) COLLATE NOCASE, id);
