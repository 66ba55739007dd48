-- seed 510: error
-- #
CREATE SEQUENCE public."we""ird_seq" AS smallint;
-- to
-- #
CREATE SEQUENCE public."we""ird_seq" AS smallint INCREMENT BY 5 MINVALUE 5;
