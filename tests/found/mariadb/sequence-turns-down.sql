-- a sequence with bounds of its own counts down, with none
-- #
CREATE SEQUENCE `a.b_seq` MINVALUE 1 MAXVALUE 1000 CYCLE;
-- #
CREATE SEQUENCE `accounts_seq` START WITH 100 INCREMENT BY 10;
-- to
-- #
CREATE SEQUENCE `a.b_seq` INCREMENT BY -1;
-- #
CREATE SEQUENCE `accounts_seq` INCREMENT BY -1;
