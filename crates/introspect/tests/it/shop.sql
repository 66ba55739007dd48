CREATE SCHEMA shop;
COMMENT ON SCHEMA shop IS 'the shop';
CREATE EXTENSION citext SCHEMA shop;
CREATE TYPE shop.mood AS ENUM ('sad', 'it''s ok', 'happy');
CREATE DOMAIN shop.email AS text COLLATE "C" DEFAULT 'x@y' NOT NULL CONSTRAINT has_at CHECK (VALUE LIKE '%@%');
CREATE TYPE shop.address AS (street text, city shop.email, zip varchar(10) COLLATE "C");
CREATE TYPE shop.floatrange AS RANGE (subtype = float8, subtype_diff = float8mi);
CREATE SEQUENCE shop.tickets AS integer START 10 INCREMENT 5 CACHE 20 CYCLE;
CREATE FUNCTION shop.tax(price numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT price * 0.19';
CREATE TABLE shop.users (
  id bigint GENERATED ALWAYS AS IDENTITY (START WITH 100) PRIMARY KEY,
  serial_no serial,
  name text NOT NULL COLLATE "C",
  email shop.email,
  ci shop.citext UNIQUE,
  mood shop.mood DEFAULT 'happy',
  moods shop.mood[],
  span shop.floatrange,
  amount numeric(10,2) DEFAULT 0.00 CHECK (amount >= 0),
  gross numeric GENERATED ALWAYS AS (amount + shop.tax(amount)) STORED,
  created timestamptz(3) NOT NULL DEFAULT now(),
  big text,
  CONSTRAINT named UNIQUE (name, email) DEFERRABLE INITIALLY DEFERRED,
  EXCLUDE USING gist (span WITH &&) WHERE (amount > 5) DEFERRABLE
) WITH (fillfactor = 70, toast.autovacuum_enabled = false);
ALTER TABLE shop.users ALTER big SET STORAGE EXTERNAL, ALTER big SET STATISTICS 500, ALTER name SET (n_distinct = 5);
COMMENT ON COLUMN shop.users.name IS 'full name';
CREATE INDEX users_lower ON shop.users (lower(name) DESC NULLS LAST, (amount + 1), ci) INCLUDE (created) WHERE amount > 10;
CREATE INDEX users_coll ON shop.users (name COLLATE "POSIX" text_pattern_ops, lower(name) COLLATE "POSIX");
CREATE UNIQUE INDEX users_created ON shop.users (created);
ALTER TABLE shop.users CLUSTER ON users_created;
ALTER TABLE shop.users REPLICA IDENTITY USING INDEX users_created;
CREATE TABLE shop.orders (
  id integer PRIMARY KEY,
  user_id bigint REFERENCES shop.users ON DELETE CASCADE ON UPDATE SET NULL DEFERRABLE,
  a int, b int, self_a int, self_b int,
  UNIQUE (a, b) INCLUDE (id),
  FOREIGN KEY (self_a, self_b) REFERENCES shop.orders (a, b) MATCH FULL,
  CHECK (a > b) NO INHERIT
);
ALTER TABLE shop.orders ADD CHECK (a <> 3) NOT VALID;
CREATE TABLE shop.events (at date NOT NULL, kind int, payload json, PRIMARY KEY (at, kind)) PARTITION BY RANGE (at);
CREATE TABLE shop.events_2020 PARTITION OF shop.events FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE INDEX events_kind ON shop.events (kind);
CREATE TABLE shop.base (x int CHECK (x > 0));
CREATE TABLE shop.child (y int) INHERITS (shop.base);
CREATE UNLOGGED TABLE shop.fast (x int);
CREATE VIEW shop.v WITH (security_barrier) AS SELECT id, name, shop.tax(amount) AS t FROM shop.users WHERE mood = 'sad';
CREATE VIEW shop.v2 AS SELECT v.id, o.a FROM shop.v JOIN shop.orders o ON o.user_id = v.id;
ALTER VIEW shop.v2 ALTER COLUMN a SET DEFAULT 7;
CREATE MATERIALIZED VIEW shop.m AS SELECT count(*) AS n FROM shop.users WITH NO DATA;
CREATE UNIQUE INDEX m_n ON shop.m (n);
CREATE FUNCTION shop.touch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO orders(id) SELECT n FROM shop.m; RETURN NEW; END';
CREATE PROCEDURE shop.p(a int, OUT b int) LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM shop.orders; END;
CREATE AGGREGATE shop.total(numeric) (SFUNC = numeric_add, STYPE = numeric, INITCOND = '0');
CREATE TRIGGER touch BEFORE UPDATE OF name ON shop.users FOR EACH ROW WHEN (OLD.name <> NEW.name) EXECUTE FUNCTION shop.touch();
CREATE TRIGGER ev AFTER INSERT ON shop.events FOR EACH ROW EXECUTE FUNCTION shop.touch();
ALTER TABLE shop.users DISABLE TRIGGER touch;
ALTER TABLE shop.users ENABLE ROW LEVEL SECURITY;
CREATE POLICY pol ON shop.users AS RESTRICTIVE FOR UPDATE USING (name = current_user)
  WITH CHECK (EXISTS (SELECT 1 FROM shop.orders o WHERE o.user_id = users.id));
CREATE RULE r AS ON INSERT TO shop.fast DO INSTEAD NOTHING;
CREATE STATISTICS shop.st (dependencies) ON a, b FROM shop.orders;
CREATE FUNCTION shop.evt() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE EVENT TRIGGER shop_evt ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION shop.evt();
GRANT SELECT ON shop.users TO PUBLIC;
GRANT UPDATE (name) ON shop.users TO PUBLIC;
REVOKE EXECUTE ON FUNCTION shop.tax FROM PUBLIC;
CREATE COLLATION shop.coll FROM "C";
CREATE OPERATOR shop.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
CREATE TABLE shop.typed OF shop.address;
