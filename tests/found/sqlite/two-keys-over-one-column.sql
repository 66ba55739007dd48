-- of two keys over one column, the one with another collation goes
-- #
CREATE TABLE [items] (data INTEGER, UNIQUE (`data` COLLATE NOCASE), UNIQUE (data)) STRICT;
-- to
-- #
CREATE TABLE [items] (data INTEGER, UNIQUE (data)) STRICT;
