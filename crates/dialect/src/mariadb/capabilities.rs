//! What MariaDB can do.

use crate::{Capabilities, mysql};

/// What MariaDB can do, 10.6 and newer.
pub(super) const CAPABILITIES: Capabilities = Capabilities { check_names_per_namespace: false, ..mysql::CAPABILITIES };
