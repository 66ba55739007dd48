//! The words of every sample, on plain names.

use insta::assert_snapshot;

use super::samples::{Names, samples};
use super::sql;

fn show(label: &str) -> String {
    let sample = samples(Names::plain()).into_iter().find(|sample| sample.label == label).unwrap();
    sql(&sample.change)
}

#[test]
fn namespaces_and_types() {
    assert_snapshot!(show("create namespace"), @r#"
    CREATE SCHEMA "app";
    COMMENT ON SCHEMA "app" IS 'a namespace'
    "#);
    assert_snapshot!(show("alter namespace"), @"");
    assert_snapshot!(show("create extension"), @r#"CREATE EXTENSION "uuid-ossp" WITH SCHEMA "app" VERSION '1.0'"#);
    assert_snapshot!(show("alter extension"), @r#"
    ALTER EXTENSION "uuid-ossp" SET SCHEMA "other";
    ALTER EXTENSION "uuid-ossp" UPDATE TO '1.1'
    "#);
    assert_snapshot!(show("drop extension"), @r#"DROP EXTENSION "uuid-ossp""#);
    assert_snapshot!(show("create enum"), @r#"
    CREATE TYPE "app"."mood" AS ENUM ('it''s', 'ok');
    COMMENT ON TYPE "app"."mood" IS 'a type'
    "#);
    assert_snapshot!(show("add enum value last"), @r#"ALTER TYPE "app"."mood" ADD VALUE 'good'"#);
    assert_snapshot!(show("add enum value before"), @r#"ALTER TYPE "app"."mood" ADD VALUE 'bad' BEFORE 'ok'"#);
    assert_snapshot!(show("add enum value after"), @r#"ALTER TYPE "app"."mood" ADD VALUE 'fair' AFTER 'ok'"#);
    assert_snapshot!(show("create domain"), @r#"
    CREATE DOMAIN "app"."age" AS integer DEFAULT 0 NOT NULL CONSTRAINT "age_range" CHECK (VALUE >= 0);
    COMMENT ON CONSTRAINT "age_range" ON DOMAIN "app"."age" IS 'not negative';
    COMMENT ON DOMAIN "app"."age" IS 'a type'
    "#);
    assert_snapshot!(show("set domain default"), @r#"ALTER DOMAIN "app"."age" SET DEFAULT 1"#);
    assert_snapshot!(show("drop domain default"), @r#"ALTER DOMAIN "app"."age" DROP DEFAULT"#);
    assert_snapshot!(show("drop domain not null"), @r#"ALTER DOMAIN "app"."age" DROP NOT NULL"#);
    assert_snapshot!(show("set domain not null"), @r#"ALTER DOMAIN "app"."age" SET NOT NULL"#);
    assert_snapshot!(show("drop domain check"), @r#"ALTER DOMAIN "app"."age" DROP CONSTRAINT "age_range""#);
    assert_snapshot!(show("add domain check"), @r#"
    ALTER DOMAIN "app"."age" ADD CONSTRAINT "age_range" CHECK (VALUE >= 0) NOT VALID;
    COMMENT ON CONSTRAINT "age_range" ON DOMAIN "app"."age" IS 'not negative'
    "#);
    assert_snapshot!(show("validate domain check"), @r#"ALTER DOMAIN "app"."age" VALIDATE CONSTRAINT "age_range""#);
    assert_snapshot!(show("create composite"), @r#"
    CREATE TYPE "app"."address" AS ("street" text COLLATE "pg_catalog"."C");
    COMMENT ON COLUMN "app"."address"."street" IS 'part';
    COMMENT ON TYPE "app"."address" IS 'a type'
    "#);
    assert_snapshot!(show("add attribute"), @r#"
    ALTER TYPE "app"."address" ADD ATTRIBUTE "zip" text;
    COMMENT ON COLUMN "app"."address"."zip" IS 'part'
    "#);
    assert_snapshot!(show("alter attribute type"), @r#"ALTER TYPE "app"."address" ALTER ATTRIBUTE "zip" TYPE integer"#);
    assert_snapshot!(show("drop attribute"), @r#"ALTER TYPE "app"."address" DROP ATTRIBUTE "zip""#);
    assert_snapshot!(show("create range"), @r#"
    CREATE TYPE "app"."floatrange" AS RANGE (SUBTYPE = double precision, SUBTYPE_DIFF = "pg_catalog"."float8mi", MULTIRANGE_TYPE_NAME = "app"."floatmultirange");
    COMMENT ON TYPE "app"."floatrange" IS 'a type'
    "#);
}

#[test]
fn sequences_and_routines() {
    assert_snapshot!(show("create sequence"), @r#"
    CREATE SEQUENCE "app"."ticket" AS integer INCREMENT BY 5 MINVALUE 5 MAXVALUE 100 START WITH 10 CACHE 2 CYCLE;
    COMMENT ON SEQUENCE "app"."ticket" IS 'a sequence'
    "#);
    assert_snapshot!(show("alter sequence"), @r#"ALTER SEQUENCE "app"."ticket" AS bigint INCREMENT BY 1 NO MINVALUE NO MAXVALUE START WITH 1 CACHE 1 NO CYCLE"#);
    assert_snapshot!(show("alter sequence logging"), @r#"ALTER SEQUENCE "app"."ticket" SET UNLOGGED"#);
    assert_snapshot!(show("create function"), @r#"
    CREATE OR REPLACE FUNCTION "app"."twice"(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $f$ SELECT $1 * 2; $f$;
    COMMENT ON FUNCTION "app"."twice" (integer) IS 'a routine'
    "#);
    assert_snapshot!(show("create trigger function"), @r#"
    CREATE OR REPLACE FUNCTION "app"."touch"() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN RETURN NEW; END $f$;
    COMMENT ON FUNCTION "app"."touch" () IS 'a routine'
    "#);
    assert_snapshot!(show("replace routine"), @r#"CREATE OR REPLACE FUNCTION "app"."twice"(integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $f$ SELECT $1 * 3; $f$"#);
    assert_snapshot!(show("create procedure"), @r#"
    CREATE OR REPLACE PROCEDURE "app"."tidy"() LANGUAGE sql AS $f$ SELECT 1 $f$;
    COMMENT ON PROCEDURE "app"."tidy" () IS 'a routine'
    "#);
    assert_snapshot!(show("drop procedure"), @r#"DROP PROCEDURE "app"."tidy" ()"#);
    assert_snapshot!(show("create aggregate"), @r#"
    CREATE AGGREGATE "app"."rows"(*) (SFUNC = pg_catalog.int8inc, STYPE = bigint, INITCOND = '0');
    COMMENT ON AGGREGATE "app"."rows" (*) IS 'a routine'
    "#);
    assert_snapshot!(show("drop aggregate"), @r#"DROP AGGREGATE "app"."rows" (*)"#);
}

#[test]
fn tables() {
    assert_snapshot!(show("create table"), @r#"
    CREATE TABLE "app"."users" ("id" bigint GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME "app"."users_ids" START WITH 100 CACHE 5) NOT NULL, "email" character varying(200) COLLATE "pg_catalog"."C" NOT NULL, "mood" "app"."mood" DEFAULT 'ok'::"app"."mood", "length" integer GENERATED ALWAYS AS (length("email")) STORED, "ticket" bigint DEFAULT nextval('"app"."ticket"'::regclass), "parent" bigint, "moods" "app"."mood"[] DEFAULT '{}'::"app"."mood"[], "during" tsrange, "note" text, CONSTRAINT "users_pkey" PRIMARY KEY ("id") INCLUDE ("email") WITH (fillfactor = 80), CONSTRAINT "users_email_key" UNIQUE ("email") DEFERRABLE INITIALLY DEFERRED, CONSTRAINT "users_length" CHECK ("length" > 3), CONSTRAINT "users_during" EXCLUDE USING gist ("during" WITH &&) WHERE ("during" IS NOT NULL), CONSTRAINT "users_parent_fkey" FOREIGN KEY ("parent") REFERENCES "app"."users" ("id") MATCH FULL ON UPDATE SET NULL ON DELETE CASCADE) WITH (fillfactor = 70, toast.autovacuum_enabled = 'false');
    ALTER TABLE "app"."users" ALTER COLUMN "email" SET COMPRESSION pglz, ALTER COLUMN "email" SET STATISTICS 500, ALTER COLUMN "email" SET STORAGE EXTERNAL, ADD CONSTRAINT "users_late" CHECK (true) NOT VALID, ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    CREATE INDEX "users_note" ON "app"."users" ("note");
    COMMENT ON INDEX "app"."users_note" IS 'for search';
    ALTER TABLE "app"."users" REPLICA IDENTITY FULL;
    COMMENT ON TABLE "app"."users" IS 'people';
    COMMENT ON COLUMN "app"."users"."email" IS 'where to write';
    COMMENT ON CONSTRAINT "users_email_key" ON "app"."users" IS 'one account each'
    "#);
    assert_snapshot!(show("create empty table"), @r#"CREATE UNLOGGED TABLE "app"."nothing" ()"#);
    assert_snapshot!(show("create child table"), @r#"CREATE TABLE "app"."child" ("extra" text) INHERITS ("app"."nothing")"#);
    assert_snapshot!(show("alter table"), @r#"ALTER TABLE "app"."child" SET UNLOGGED, SET (fillfactor = 50), REPLICA IDENTITY NOTHING, NO INHERIT "app"."nothing""#);
    assert_snapshot!(show("alter table back"), @r#"ALTER TABLE "app"."child" SET LOGGED, RESET (fillfactor), REPLICA IDENTITY DEFAULT, INHERIT "app"."nothing""#);
    assert_snapshot!(show("drop table"), @r#"DROP TABLE "app"."child""#);
    assert_snapshot!(show("drop unlogged table"), @r#"DROP TABLE "app"."nothing""#);
    assert_snapshot!(show("disable row security"), @r#"ALTER TABLE "app"."users" DISABLE ROW LEVEL SECURITY, NO FORCE ROW LEVEL SECURITY"#);
    assert_snapshot!(show("enable row security"), @r#"ALTER TABLE "app"."users" ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"#);
    assert_snapshot!(show("alter replica identity"), @r#"ALTER TABLE "app"."users" REPLICA IDENTITY USING INDEX "users_pkey""#);
    assert_snapshot!(show("create modern table"), @r#"CREATE TABLE "app"."modern" ("a" integer CONSTRAINT "a_given" NOT NULL, "half" integer GENERATED ALWAYS AS ("a" / 2) VIRTUAL, "during" daterange NOT NULL, CONSTRAINT "modern_lax" CHECK ("a" > 0) NOT ENFORCED)"#);
    assert_snapshot!(show("add column of modern table"), @r#"ALTER TABLE "app"."modern" ADD COLUMN "half2" integer"#);
    assert_snapshot!(show("add nulls not distinct"), @r#"ALTER TABLE "app"."modern" ADD CONSTRAINT "modern_key" UNIQUE NULLS NOT DISTINCT ("half2", "a")"#);
    assert_snapshot!(show("set named not null"), @r#"ALTER TABLE "app"."modern" ADD CONSTRAINT "half2_given" NOT NULL "half2""#);
    assert_snapshot!(show("rename not null"), @r#"ALTER TABLE "app"."modern" RENAME CONSTRAINT "half2_given" TO "modern_half2_not_null""#);
    assert_snapshot!(show("drop modern table"), @r#"DROP TABLE "app"."modern""#);
}

#[test]
fn partitions() {
    assert_snapshot!(show("create partitioned table"), @r#"CREATE TABLE "app"."log" ("at" timestamp with time zone NOT NULL, "words" text) PARTITION BY RANGE ("at")"#);
    assert_snapshot!(show("create partition"), @r#"CREATE TABLE "app"."log_2026" PARTITION OF "app"."log" (CONSTRAINT "log_2026_words" CHECK ("words" <> 'no')) FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')"#);
    assert_snapshot!(show("create default partition"), @r#"CREATE TABLE "app"."log_rest" PARTITION OF "app"."log" DEFAULT"#);
    assert_snapshot!(show("detach partition"), @r#"ALTER TABLE "app"."log" DETACH PARTITION "app"."log_2026""#);
    assert_snapshot!(show("attach partition"), @r#"ALTER TABLE "app"."log" ATTACH PARTITION "app"."log_2026" FOR VALUES FROM ('2026-01-01') TO ('2027-01-01')"#);
    assert_snapshot!(show("create index on only"), @r#"CREATE INDEX "log_at" ON ONLY "app"."log" ("at")"#);
    assert_snapshot!(show("create partition index"), @r#"
    CREATE INDEX "log_2026_at" ON "app"."log_2026" ("at");
    ALTER INDEX "app"."log_at" ATTACH PARTITION "app"."log_2026_at"
    "#);
    assert_snapshot!(show("create index to attach"), @r#"CREATE INDEX "log_rest_at" ON "app"."log_rest" ("at")"#);
    assert_snapshot!(show("attach partition index"), @r#"ALTER INDEX "app"."log_at" ATTACH PARTITION "app"."log_rest_at""#);
}

#[test]
fn columns() {
    assert_snapshot!(show("add column"), @r#"
    ALTER TABLE "app"."users" ADD COLUMN "nick" text DEFAULT 'none'::text, ALTER COLUMN "nick" SET STORAGE MAIN;
    COMMENT ON COLUMN "app"."users"."nick" IS 'short name'
    "#);
    assert_snapshot!(show("drop default"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" DROP DEFAULT"#);
    assert_snapshot!(show("set default"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" SET DEFAULT 'none'::text"#);
    assert_snapshot!(show("backfill"), @r#"
    UPDATE "app"."users" SET "nick" = 'nobody' -- filled
     WHERE "nick" IS NULL
    "#);
    assert_snapshot!(show("set not null"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" SET NOT NULL"#);
    assert_snapshot!(show("drop not null"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" DROP NOT NULL"#);
    assert_snapshot!(show("set column attributes"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" SET STATISTICS 7, ALTER COLUMN "nick" SET STORAGE EXTENDED, ALTER COLUMN "nick" SET (n_distinct = '-0.5')"#);
    assert_snapshot!(show("reset column attributes"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" SET STATISTICS -1, ALTER COLUMN "nick" RESET (n_distinct)"#);
    assert_snapshot!(show("alter column type"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" TYPE character varying(40) COLLATE "pg_catalog"."C""#);
    assert_snapshot!(show("drop default before type"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" DROP DEFAULT"#);
    assert_snapshot!(show("alter column type using"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" TYPE integer USING length("nick")"#);
    assert_snapshot!(show("set not null before identity"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" SET NOT NULL"#);
    assert_snapshot!(show("add identity"), @r#"
    ALTER TABLE "app"."users" ALTER COLUMN "nick" ADD GENERATED BY DEFAULT AS IDENTITY;
    SELECT setval(pg_get_serial_sequence('"app"."users"', 'nick'), current_setting('trueup.position_5408bcc7b69b9a6f', true)::bigint) WHERE current_setting('trueup.position_5408bcc7b69b9a6f', true) <> ''
    "#);
    assert_snapshot!(show("alter identity"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "nick" SET GENERATED ALWAYS SET INCREMENT BY 2"#);
    assert_snapshot!(show("drop identity"), @r#"
    SELECT set_config('trueup.position_5408bcc7b69b9a6f', coalesce(pg_sequence_last_value(pg_get_serial_sequence('"app"."users"', 'nick')::regclass)::text, ''), true);
    ALTER TABLE "app"."users" ALTER COLUMN "nick" DROP IDENTITY
    "#);
    assert_snapshot!(show("drop column"), @r#"ALTER TABLE "app"."users" DROP COLUMN "nick""#);
    assert_snapshot!(show("set expression"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "length" SET EXPRESSION AS (length("email") + 1)"#);
    assert_snapshot!(show("drop expression"), @r#"ALTER TABLE "app"."users" ALTER COLUMN "length" DROP EXPRESSION"#);
    assert_snapshot!(show("rebuild enum"), @r#"
    ALTER TYPE "app"."mood" RENAME TO "mood_trueup_old";
    CREATE TYPE "app"."mood" AS ENUM ('ok', 'it''s');
    ALTER TABLE "app"."users" ALTER COLUMN "mood" DROP DEFAULT, ALTER COLUMN "mood" TYPE "app"."mood" USING "mood"::text::"app"."mood", ALTER COLUMN "mood" SET DEFAULT 'ok'::"app"."mood", ALTER COLUMN "moods" DROP DEFAULT, ALTER COLUMN "moods" TYPE "app"."mood"[] USING "moods"::text[]::"app"."mood"[], ALTER COLUMN "moods" SET DEFAULT '{}'::"app"."mood"[];
    DROP TYPE "app"."mood_trueup_old";
    COMMENT ON TYPE "app"."mood" IS 'a type'
    "#);
    assert_snapshot!(show("set sequence owner"), @r#"ALTER SEQUENCE "app"."ticket" OWNED BY "app"."users"."ticket""#);
    assert_snapshot!(show("drop sequence owner"), @r#"ALTER SEQUENCE "app"."ticket" OWNED BY NONE"#);
}

#[test]
fn constraints() {
    assert_snapshot!(show("add constraint"), @r#"
    ALTER TABLE "app"."users" ADD CONSTRAINT "users_again_fkey" FOREIGN KEY ("parent") REFERENCES "app"."users" ("id") ON DELETE SET DEFAULT NOT VALID;
    COMMENT ON CONSTRAINT "users_again_fkey" ON "app"."users" IS 'again'
    "#);
    assert_snapshot!(show("validate constraint"), @r#"ALTER TABLE "app"."users" VALIDATE CONSTRAINT "users_again_fkey""#);
    assert_snapshot!(show("alter constraint"), @r#"ALTER TABLE "app"."users" ALTER CONSTRAINT "users_again_fkey" DEFERRABLE INITIALLY IMMEDIATE"#);
    assert_snapshot!(show("alter constraint back"), @r#"ALTER TABLE "app"."users" ALTER CONSTRAINT "users_again_fkey" NOT DEFERRABLE"#);
    assert_snapshot!(show("alter constraint enforced"), @r#"ALTER TABLE "app"."users" ALTER CONSTRAINT "users_again_fkey" NOT ENFORCED"#);
    assert_snapshot!(show("drop constraint"), @r#"ALTER TABLE "app"."users" DROP CONSTRAINT "users_again_fkey""#);
    assert_snapshot!(show("add set null of columns"), @r#"ALTER TABLE "app"."users" ADD CONSTRAINT "users_some_fkey" FOREIGN KEY ("parent") REFERENCES "app"."users" ("id") ON DELETE SET NULL ("parent")"#);
}

#[test]
fn indexes() {
    assert_snapshot!(show("create index"), @r#"
    CREATE UNIQUE INDEX "users_rich" ON "app"."users" ("note" COLLATE "pg_catalog"."C" text_pattern_ops DESC NULLS LAST, (lower("note"))) INCLUDE ("parent") WITH (fillfactor = 60) WHERE ("note" IS NOT NULL);
    COMMENT ON INDEX "app"."users_rich" IS 'rich'
    "#);
    assert_snapshot!(show("alter index"), @r#"ALTER INDEX "app"."users_rich" SET (deduplicate_items = 'off'), RESET (fillfactor)"#);
    assert_snapshot!(show("drop index"), @r#"DROP INDEX "app"."users_rich""#);
    assert_snapshot!(show("create hash index"), @r#"CREATE INDEX "users_hash" ON "app"."users" USING "hash" ("note")"#);
    assert_snapshot!(show("create clustered index"), @r#"
    CREATE INDEX "users_cluster" ON "app"."users" ("id");
    ALTER TABLE "app"."users" CLUSTER ON "users_cluster"
    "#);
    assert_snapshot!(show("uncluster index"), @r#"ALTER TABLE "app"."users" SET WITHOUT CLUSTER"#);
    assert_snapshot!(show("cluster index"), @r#"ALTER TABLE "app"."users" CLUSTER ON "users_cluster""#);
    assert_snapshot!(show("create index nulls not distinct"), @r#"CREATE UNIQUE INDEX "users_distinct" ON "app"."users" ("note") NULLS NOT DISTINCT"#);
}

#[test]
fn views() {
    assert_snapshot!(show("create view"), @r#"
    CREATE VIEW "app"."names" ("name") WITH (check_option = 'local', security_barrier = 'true') AS SELECT "note" FROM "app"."users";
    ALTER VIEW "app"."names" ALTER COLUMN "name" SET DEFAULT 'x'::text;
    COMMENT ON VIEW "app"."names" IS 'a view';
    COMMENT ON COLUMN "app"."names"."name" IS 'shown'
    "#);
    assert_snapshot!(show("replace view"), @r#"CREATE OR REPLACE VIEW "app"."names" ("name") WITH (check_option = 'local', security_barrier = 'true') AS SELECT "note" FROM "app"."users" WHERE true"#);
    assert_snapshot!(show("alter view"), @r#"
    ALTER VIEW "app"."names" SET (security_barrier = 'false');
    ALTER VIEW "app"."names" RESET (check_option);
    ALTER VIEW "app"."names" ALTER COLUMN "name" DROP DEFAULT
    "#);
    assert_snapshot!(show("create materialized view"), @r#"
    CREATE MATERIALIZED VIEW "app"."stored" WITH (fillfactor = 90) AS SELECT "id" FROM "app"."users" WITH NO DATA;
    CREATE INDEX "stored_id" ON "app"."stored" ("id");
    COMMENT ON MATERIALIZED VIEW "app"."stored" IS 'a materialized view'
    "#);
    assert_snapshot!(show("alter materialized view"), @r#"ALTER MATERIALIZED VIEW "app"."stored" RESET (fillfactor)"#);
}

#[test]
fn triggers_and_policies() {
    assert_snapshot!(show("create trigger"), @r#"
    CREATE TRIGGER "users_touch" BEFORE INSERT ON "app"."users" FOR EACH ROW EXECUTE FUNCTION "app"."touch"();
    ALTER TABLE "app"."users" ENABLE ALWAYS TRIGGER "users_touch";
    COMMENT ON TRIGGER "users_touch" ON "app"."users" IS 'a trigger'
    "#);
    assert_snapshot!(show("disable trigger"), @r#"ALTER TABLE "app"."users" DISABLE TRIGGER "users_touch""#);
    assert_snapshot!(show("replica trigger"), @r#"ALTER TABLE "app"."users" ENABLE REPLICA TRIGGER "users_touch""#);
    assert_snapshot!(show("enable trigger"), @r#"ALTER TABLE "app"."users" ENABLE TRIGGER "users_touch""#);
    assert_snapshot!(show("create policy"), @r#"
    CREATE POLICY "own" ON "app"."users" AS RESTRICTIVE FOR UPDATE TO PUBLIC USING (false) WITH CHECK (true);
    COMMENT ON POLICY "own" ON "app"."users" IS 'a policy'
    "#);
    assert_snapshot!(show("alter server"), @r#"ALTER SERVER "far" OPTIONS (ADD host 'a')"#);
    assert_snapshot!(show("alter server option"), @r#"
    ALTER SERVER "far" OPTIONS (DROP host);
    ALTER SERVER "far" OPTIONS (ADD host 'b')
    "#);
    assert_snapshot!(show("alter policy"), @r#"ALTER POLICY "own" ON "app"."users" TO "pg_monitor", "pg_signal_backend" USING (true)"#);
}

#[test]
fn opaque() {
    assert_snapshot!(show("create rule"), @r#"
    CREATE RULE "keep" AS ON DELETE TO "app"."users" DO INSTEAD NOTHING;
    COMMENT ON RULE "keep" ON "app"."users" IS 'kept as text'
    "#);
    assert_snapshot!(show("create wrapper"), @r#"
    CREATE FOREIGN DATA WRAPPER "wrap";
    COMMENT ON FOREIGN DATA WRAPPER "wrap" IS 'kept as text'
    "#);
    assert_snapshot!(show("create server"), @r#"
    CREATE SERVER "far" FOREIGN DATA WRAPPER "wrap";
    COMMENT ON SERVER "far" IS 'kept as text'
    "#);
    assert_snapshot!(show("create foreign table"), @r#"
    CREATE FOREIGN TABLE "app"."abroad" ("a" integer NOT NULL) SERVER "far" OPTIONS ("a" 'it''s', "b" '1');
    COMMENT ON FOREIGN TABLE "app"."abroad" IS 'a foreign table'
    "#);
    assert_snapshot!(show("alter foreign table"), @r#"ALTER TABLE "app"."abroad" OPTIONS (DROP "b", SET "a" '2', ADD "c" '3')"#);
}

#[test]
fn rights() {
    assert_snapshot!(show("grant"), @r#"
    REVOKE ALL ON TABLE "app"."users" FROM "postgres";
    GRANT SELECT ON TABLE "app"."users" TO PUBLIC;
    GRANT SELECT ON TABLE "app"."users" TO "pg_monitor" WITH GRANT OPTION;
    GRANT INSERT, UPDATE ("note") ON TABLE "app"."users" TO "pg_signal_backend";
    GRANT DELETE, INSERT, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."users" TO "postgres"
    "#);
    assert_snapshot!(show("regrant"), @r#"
    REVOKE SELECT ON TABLE "app"."users" FROM PUBLIC;
    REVOKE GRANT OPTION FOR SELECT ON TABLE "app"."users" FROM "pg_monitor";
    REVOKE INSERT, UPDATE ("note") ON TABLE "app"."users" FROM "pg_signal_backend";
    REVOKE DELETE, INSERT, REFERENCES, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."users" FROM "postgres"
    "#);
    assert_snapshot!(show("revoke to default"), @r#"
    GRANT ALL ON TABLE "app"."users" TO "postgres";
    REVOKE SELECT ON TABLE "app"."users" FROM "pg_monitor"
    "#);
    assert_snapshot!(show("revoke from public"), @r#"
    REVOKE ALL ON FUNCTION "app"."twice" (integer) FROM "postgres";
    REVOKE EXECUTE ON FUNCTION "app"."twice" (integer) FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION "app"."twice" (integer) TO "postgres"
    "#);
    assert_snapshot!(show("grant to public"), @r#"
    GRANT ALL ON FUNCTION "app"."twice" (integer) TO "postgres";
    GRANT EXECUTE ON FUNCTION "app"."twice" (integer) TO PUBLIC
    "#);
    assert_snapshot!(show("grant on namespace"), @r#"
    REVOKE ALL ON SCHEMA "app" FROM "postgres";
    GRANT USAGE ON SCHEMA "app" TO "pg_monitor";
    GRANT CREATE, USAGE ON SCHEMA "app" TO "postgres"
    "#);
    assert_snapshot!(show("grant on server"), @r#"
    REVOKE ALL ON FOREIGN SERVER "far" FROM "postgres";
    GRANT USAGE ON FOREIGN SERVER "far" TO "pg_monitor";
    GRANT USAGE ON FOREIGN SERVER "far" TO "postgres"
    "#);
    assert_snapshot!(show("set owner"), @r#"ALTER TABLE "app"."users" OWNER TO "pg_monitor""#);
    assert_snapshot!(show("drop comment"), @r#"COMMENT ON TABLE "app"."users" IS NULL"#);
    assert_snapshot!(show("adopt"), @"");
    assert_snapshot!(show("comment on namespace"), @r#"COMMENT ON SCHEMA "app" IS 'new words'"#);
    assert_snapshot!(show("comment on type"), @r#"COMMENT ON TYPE "app"."mood" IS 'new words'"#);
    assert_snapshot!(show("comment on domain"), @r#"COMMENT ON DOMAIN "app"."age" IS 'new words'"#);
    assert_snapshot!(show("comment on domain constraint"), @r#"COMMENT ON CONSTRAINT "age_range" ON DOMAIN "app"."age" IS 'new words'"#);
    assert_snapshot!(show("comment on sequence"), @r#"COMMENT ON SEQUENCE "app"."ticket" IS 'new words'"#);
    assert_snapshot!(show("comment on table"), @r#"COMMENT ON TABLE "app"."users" IS 'new words'"#);
    assert_snapshot!(show("comment on foreign table"), @r#"COMMENT ON FOREIGN TABLE "app"."abroad" IS 'new words'"#);
    assert_snapshot!(show("comment on view"), @r#"COMMENT ON VIEW "app"."names" IS 'new words'"#);
    assert_snapshot!(show("comment on materialized view"), @r#"COMMENT ON MATERIALIZED VIEW "app"."stored" IS 'new words'"#);
    assert_snapshot!(show("comment on column"), @r#"COMMENT ON COLUMN "app"."users"."note" IS 'new words'"#);
    assert_snapshot!(show("comment on view column"), @r#"COMMENT ON COLUMN "app"."names"."name" IS 'new words'"#);
    assert_snapshot!(show("comment on attribute"), @r#"COMMENT ON COLUMN "app"."address"."street" IS 'new words'"#);
    assert_snapshot!(show("comment on constraint"), @r#"COMMENT ON CONSTRAINT "users_pkey" ON "app"."users" IS 'new words'"#);
    assert_snapshot!(show("comment on index"), @r#"COMMENT ON INDEX "app"."users_note" IS 'new words'"#);
    assert_snapshot!(show("comment on routine"), @r#"COMMENT ON FUNCTION "app"."twice" (integer) IS 'new words'"#);
    assert_snapshot!(show("comment on trigger"), @r#"COMMENT ON TRIGGER "users_touch" ON "app"."users" IS 'new words'"#);
    assert_snapshot!(show("comment on policy"), @r#"COMMENT ON POLICY "own" ON "app"."users" IS 'new words'"#);
    assert_snapshot!(show("comment on rule"), @r#"COMMENT ON RULE "keep" ON "app"."users" IS 'new words'"#);
}

#[test]
fn renames() {
    assert_snapshot!(show("rename column"), @r#"ALTER TABLE "app"."users" RENAME COLUMN "note" TO "notes""#);
    assert_snapshot!(show("rename view column"), @r#"ALTER VIEW "app"."names" RENAME COLUMN "name" TO "label""#);
    assert_snapshot!(show("rename materialized view column"), @r#"ALTER MATERIALIZED VIEW "app"."stored" RENAME COLUMN "id" TO "ident""#);
    assert_snapshot!(show("rename foreign column"), @r#"ALTER FOREIGN TABLE "app"."abroad" RENAME COLUMN "a" TO "b""#);
    assert_snapshot!(show("rename attribute"), @r#"ALTER TYPE "app"."address" RENAME ATTRIBUTE "street" TO "road""#);
    assert_snapshot!(show("rename constraint"), @r#"ALTER TABLE "app"."users" RENAME CONSTRAINT "users_late" TO "users_later""#);
    assert_snapshot!(show("rename domain constraint"), @r#"ALTER DOMAIN "app"."age" RENAME CONSTRAINT "age_range" TO "age_limit""#);
    assert_snapshot!(show("rename index"), @r#"ALTER INDEX "app"."users_note" RENAME TO "users_notes""#);
    assert_snapshot!(show("rename trigger"), @r#"ALTER TRIGGER "users_touch" ON "app"."users" RENAME TO "users_stamp""#);
    assert_snapshot!(show("rename policy"), @r#"ALTER POLICY "own" ON "app"."users" RENAME TO "mine""#);
    assert_snapshot!(show("rename table"), @r#"ALTER TABLE "app"."users" RENAME TO "people""#);
    assert_snapshot!(show("rename foreign table"), @r#"ALTER FOREIGN TABLE "app"."abroad" RENAME TO "away""#);
    assert_snapshot!(show("rename view"), @r#"ALTER VIEW "app"."names" RENAME TO "labels""#);
    assert_snapshot!(show("rename materialized view"), @r#"ALTER MATERIALIZED VIEW "app"."stored" RENAME TO "kept""#);
    assert_snapshot!(show("rename sequence"), @r#"ALTER SEQUENCE "app"."ticket" RENAME TO "tickets""#);
    assert_snapshot!(show("rename type"), @r#"ALTER TYPE "app"."mood" RENAME TO "moods""#);
    assert_snapshot!(show("rename domain"), @r#"ALTER DOMAIN "app"."age" RENAME TO "ages""#);
    assert_snapshot!(show("create another namespace"), @r#"CREATE SCHEMA "new_app""#);
    assert_snapshot!(show("rename routine"), @r#"
    ALTER FUNCTION "app"."twice" (integer) SET SCHEMA "new_app";
    ALTER FUNCTION "new_app"."twice" (integer) RENAME TO "double"
    "#);
    assert_snapshot!(show("rename rule"), @r#"ALTER RULE "keep" ON "app"."people" RENAME TO "hold""#);
    assert_snapshot!(show("rename namespace"), @r#"ALTER SCHEMA "new_app" RENAME TO "next_app""#);
}

#[test]
fn drops() {
    assert_snapshot!(show("drop materialized view"), @r#"DROP MATERIALIZED VIEW "app"."kept""#);
    assert_snapshot!(show("drop view"), @r#"DROP VIEW "app"."labels""#);
    assert_snapshot!(show("drop trigger"), @r#"DROP TRIGGER "users_stamp" ON "app"."people""#);
    assert_snapshot!(show("drop policy"), @r#"DROP POLICY "mine" ON "app"."people""#);
    assert_snapshot!(show("drop rule"), @r#"DROP RULE "hold" ON "app"."people""#);
    assert_snapshot!(show("drop foreign table"), @r#"DROP FOREIGN TABLE "app"."away""#);
    assert_snapshot!(show("drop people"), @r#"DROP TABLE "app"."people""#);
    assert_snapshot!(show("drop sequence"), @r#"DROP SEQUENCE "app"."tickets""#);
    assert_snapshot!(show("drop function"), @r#"DROP FUNCTION "app"."touch" ()"#);
    assert_snapshot!(show("drop enum"), @r#"DROP TYPE "app"."moods""#);
    assert_snapshot!(show("drop domain"), @r#"DROP DOMAIN "app"."ages""#);
    assert_snapshot!(show("create namespace to drop"), @r#"CREATE SCHEMA "empty""#);
    assert_snapshot!(show("drop namespace"), @r#"DROP SCHEMA "empty""#);
}
