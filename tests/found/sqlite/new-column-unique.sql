-- seed 20261542: error
-- with rows
-- #
CREATE TABLE "sessions" (
  `createdAt` DECIMAL(10, 2)
);
-- to
-- #
CREATE TABLE "sessions" (
  `code` DEFAULT 'any' UNIQUE CHECK (`code` IS NOT NULL)
);
