-- a column that is no longer computed gets another type, and a hint says how
-- #
CREATE TYPE public.select_enum AS ENUM ('open', 'done', 'closed');
-- #
CREATE DOMAIN public."a.b_dom" AS text COLLATE "C";
-- #
CREATE TABLE public."Invoice" (
  note public."a.b_dom",
  price bigint NULL,
  id text GENERATED ALWAYS AS ("substring"(note, 1, 3)) STORED
) WITH (fillfactor=70);
-- to
-- #
CREATE TABLE public."Invoice" (
  id serial PRIMARY KEY
) WITH (fillfactor=70);
