//! MySQL and MariaDB: every server that the environment lists.
