-- seed 32: error
-- #
CREATE SEQUENCE `a.b_seq` INCREMENT BY -1;
-- to
-- #
CREATE SEQUENCE `a.b_seq` START WITH 100 INCREMENT BY 10;
