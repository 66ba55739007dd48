-- the server tells the columns of statistics in the order of the table, where new ones come last
-- #
CREATE TABLE orders (state text, z int);
-- #
CREATE STATISTICS one ON state, z FROM orders;
-- to
-- #
CREATE TABLE orders ("Id" int, code bytea, state text, z int);
-- #
CREATE STATISTICS one ON z, state FROM orders;
-- #
CREATE STATISTICS two (ndistinct) ON state, code, "Id" FROM orders;
-- #
CREATE STATISTICS three ON (lower(state)), (z + 1) FROM orders;
-- #
CREATE STATISTICS four ON "Id", code, (z + 1) FROM orders;
