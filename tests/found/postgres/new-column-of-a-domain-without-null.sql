-- seed 503: error
-- with rows
-- #
CREATE TABLE public."Invoice" (
  id serial PRIMARY KEY,
  data real DEFAULT -1.25,
  parent_id real,
  code numeric(10,2)
);
-- #
COMMENT ON TABLE public."Invoice" IS 'what it''s for; 0';
-- to
-- #
CREATE SCHEMA "Sales dept";
-- #
GRANT USAGE ON SCHEMA "Sales dept" TO pg_monitor;
-- #
CREATE DOMAIN "Sales dept".orders_dom AS integer NOT NULL CHECK (VALUE > 0);
-- #
COMMENT ON DOMAIN "Sales dept".orders_dom IS 'a domain; it''s';
-- #
CREATE TABLE public."Invoice" (
  id integer PRIMARY KEY,
  parent_id real,
  code numeric(10,2),
  key "Sales dept".orders_dom,
  CONSTRAINT c332 EXCLUDE USING btree (key WITH =)
);
-- #
COMMENT ON TABLE public."Invoice" IS 'what it''s for; 0';
