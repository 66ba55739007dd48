//! Schema migration engine: declare a schema, plan, refuse what is unsafe, apply under a lock, prove.
