CREATE TABLE products (
    id INTEGER PRIMARY KEY,
    sku TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    price_cents INTEGER NOT NULL CONSTRAINT price_is_sane CHECK (price_cents > 0),
    stock INTEGER NOT NULL DEFAULT 0
) STRICT;
