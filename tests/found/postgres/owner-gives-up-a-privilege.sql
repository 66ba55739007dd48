-- seed 167: error in plan
-- to
-- #
CREATE SCHEMA audit;
-- #
CREATE TABLE audit.users (
  id bigint PRIMARY KEY
);
-- #
REVOKE TRUNCATE ON audit.users FROM CURRENT_USER;
