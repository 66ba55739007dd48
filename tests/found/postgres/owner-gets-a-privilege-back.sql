-- an owner that gave up a privilege is to have all of them again
-- #
CREATE TABLE t (code jsonb);
-- #
REVOKE TRUNCATE ON t FROM CURRENT_USER;
-- to
-- #
CREATE TABLE t (other jsonb);
