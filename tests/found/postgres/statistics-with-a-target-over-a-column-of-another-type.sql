-- the server carries statistics over to another type without their target
-- #
CREATE TABLE t (a int, b text);
-- #
CREATE STATISTICS s ON a, b FROM t;
-- #
ALTER STATISTICS s SET STATISTICS 40;
-- #
COMMENT ON STATISTICS s IS 'kept';
-- to
-- #
CREATE TABLE t (a bigint, b text);
-- #
CREATE STATISTICS s ON a, b FROM t;
-- #
ALTER STATISTICS s SET STATISTICS 40;
-- #
COMMENT ON STATISTICS s IS 'kept';
