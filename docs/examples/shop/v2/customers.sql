-- trueup: rename column customers.mail to email

CREATE TABLE customers (
    id INTEGER PRIMARY KEY,
    email TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,
    newsletter INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX customers_by_name ON customers (name);
