//! Which drills there are, and where each of them makes sense.

use anyhow::Result;
use trueup::schema::DialectId;

use super::{canary, cluster, convoy, elsewhere, failover, full, pooler, replicas, steal};
use crate::arena::Place;
use crate::crash::Wanted;

/// One drill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storm {
    /// The holder of the lock sleeps for twice its lease and goes on.
    Steal,
    /// A run takes longer than its lease.
    Long,
    /// Clients read and write while somebody blocks an ALTER.
    Convoy,
    /// A pooler lends sessions out by transaction.
    Pooler,
    /// A password is looked for wherever it must not be.
    Canary,
    /// The disk is full.
    Full,
    /// The primary dies, and its replica goes on.
    Failover,
    /// A replica that is waited for does not follow for a while.
    Replicas,
    /// The lease is held through another node of a cluster.
    Elsewhere,
    /// Runners on every node of a cluster whose nodes all write.
    Cluster,
}

impl Storm {
    /// All of them.
    pub(crate) const ALL: [Self; 10] = [
        Self::Steal,
        Self::Long,
        Self::Convoy,
        Self::Pooler,
        Self::Canary,
        Self::Full,
        Self::Failover,
        Self::Replicas,
        Self::Elsewhere,
        Self::Cluster,
    ];

    /// Its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Steal => "steal",
            Self::Long => "long",
            Self::Convoy => "convoy",
            Self::Pooler => "pooler",
            Self::Canary => "canary",
            Self::Full => "full",
            Self::Failover => "failover",
            Self::Replicas => "replicas",
            Self::Elsewhere => "elsewhere",
            Self::Cluster => "cluster",
        }
    }

    /// Whether `dialect` knows such weather.
    pub(crate) const fn concerns(self, dialect: DialectId) -> bool {
        match self {
            Self::Steal | Self::Long | Self::Convoy | Self::Canary | Self::Replicas => {
                !matches!(dialect, DialectId::Sqlite)
            }
            Self::Pooler | Self::Failover => matches!(dialect, DialectId::Postgres),
            Self::Full => matches!(dialect, DialectId::Sqlite),
            Self::Elsewhere => matches!(dialect, DialectId::MySql | DialectId::MariaDb),
            Self::Cluster => matches!(dialect, DialectId::MariaDb),
        }
    }
}

/// Goes through one drill at `place`, and says what was seen; anything that must not be is an error.
pub(crate) async fn run(storm: Storm, place: &Place, wanted: &Wanted) -> Result<String> {
    match storm {
        Storm::Steal => steal::steal(place, wanted).await,
        Storm::Long => steal::long(place, wanted).await,
        Storm::Convoy => convoy::convoy(place, wanted).await,
        Storm::Pooler => pooler::pooler(place, wanted).await,
        Storm::Canary => canary::canary(place, wanted).await,
        Storm::Full => full::full(place, wanted).await,
        Storm::Failover => failover::failover(place, wanted).await,
        Storm::Replicas => replicas::replicas(place, wanted).await,
        Storm::Elsewhere => elsewhere::elsewhere(place, wanted).await,
        Storm::Cluster => cluster::cluster(wanted).await,
    }
}
