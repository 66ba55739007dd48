//! What each database engine can do and how it thinks, without touching one.
