-- an heir's own column begins to refuse NULL, which its rows do
-- with rows
-- #
CREATE TABLE p (id integer PRIMARY KEY);
-- #
CREATE TABLE h (own integer, other integer DEFAULT 3) INHERITS (p);
-- to
-- #
CREATE TABLE p (id integer PRIMARY KEY);
-- #
CREATE TABLE h (own integer NOT NULL, other integer DEFAULT 3, CONSTRAINT c CHECK (other > 0)) INHERITS (p);
