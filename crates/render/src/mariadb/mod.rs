//! MariaDB: what differs from MySQL, whose folder says the rest.

mod flavour;
mod sequence;
mod versioning;

pub(crate) use flavour::MARIADB;
