//! From a plan to the SQL script that is shown and executed.
