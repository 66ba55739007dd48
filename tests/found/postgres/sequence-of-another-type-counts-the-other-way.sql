-- seed 174: not converged
-- #
CREATE SEQUENCE public.s AS smallint;
-- #
CREATE SEQUENCE public.d INCREMENT -1;
-- to
-- #
CREATE SEQUENCE public.s INCREMENT -1;
-- #
CREATE SEQUENCE public.d AS smallint;
