-- A column that begins to count shuts writers out where no other key tells rows apart: asserting that it does not was refused.
-- #
CREATE TABLE lone (
  a int NOT NULL,
  n int NOT NULL,
  KEY (a)
);
-- #
CREATE TABLE both_change (
  id int NOT NULL,
  n int NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (n)
);
-- #
CREATE TABLE apart (
  id int NOT NULL,
  a int NOT NULL,
  PRIMARY KEY (id),
  KEY (a)
);
-- to
-- #
CREATE TABLE lone (
  a int NOT NULL AUTO_INCREMENT,
  n int NOT NULL,
  KEY (a)
);
-- #
CREATE TABLE both_change (
  id int NOT NULL AUTO_INCREMENT,
  n bigint NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (n)
);
-- #
CREATE TABLE apart (
  id int NOT NULL,
  a int NOT NULL AUTO_INCREMENT,
  PRIMARY KEY (id),
  KEY (a)
);
