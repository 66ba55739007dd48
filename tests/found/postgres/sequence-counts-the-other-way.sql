-- seed 138: error
-- #
CREATE SCHEMA "Sales dept";
-- #
CREATE SEQUENCE "Sales dept"."we""ird_seq" CYCLE MAXVALUE 1000;
-- to
-- #
CREATE SCHEMA "Sales dept";
-- #
CREATE SEQUENCE "Sales dept"."we""ird_seq" AS integer INCREMENT -1;
