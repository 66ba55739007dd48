-- privileges on a column go before it does
-- #
CREATE TABLE users (price int);
-- #
GRANT SELECT (price), UPDATE (price) ON users TO PUBLIC;
-- to
-- #
CREATE TABLE users (id serial PRIMARY KEY);
