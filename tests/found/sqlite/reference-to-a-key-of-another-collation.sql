-- a unique key compares otherwise than its columns: what references it is an error to SQLite, which is known
-- with rows
-- #
CREATE TABLE child (id INTEGER PRIMARY KEY) STRICT, WITHOUT ROWID;
-- #
CREATE TABLE accounts ("First Name" ANY DEFAULT 1 NOT NULL) STRICT;
-- to
-- #
CREATE TABLE users (
  id TEXT PRIMARY KEY,
  key varchar(255) NOT NULL,
  owner_id TEXT,
  CONSTRAINT c213 UNIQUE (owner_id COLLATE NOCASE, key, id)
) WITHOUT ROWID;
-- #
CREATE TABLE child (
  id INTEGER PRIMARY KEY,
  createdAt TEXT,
  email INTEGER,
  FOREIGN KEY (id, createdAt, email) REFERENCES users (owner_id, key, id)
) STRICT, WITHOUT ROWID;
-- #
CREATE TABLE T1 (price ANY NOT NULL) STRICT;
-- #
CREATE TABLE accounts ("x""y" INT UNIQUE REFERENCES T1 (price));
-- #
CREATE UNIQUE INDEX t1_price ON T1 (price COLLATE RTRIM);
