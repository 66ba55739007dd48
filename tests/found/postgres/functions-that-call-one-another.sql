-- functions that name one another in their bodies are dropped
-- #
CREATE TABLE a (id int PRIMARY KEY);
-- #
CREATE FUNCTION f(x text, v bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM f(x, v::text); END $$;
-- #
CREATE FUNCTION f(x text, v text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 FROM a; END $$;
-- #
CREATE FUNCTION f(x text, v boolean) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM f(x, v::text); END $$;
-- to
-- #
CREATE TABLE b (id int PRIMARY KEY);
