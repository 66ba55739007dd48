//! Several MariaDB servers that are one Galera cluster: each of them writes, and each has what the others wrote.

use std::path::Path;

use super::debian::Unpacked;
use super::home::free_port;
use super::{Engine, Home, Lifetime, RunningServer, ServerError, mariadb};

impl Home {
    /// Starts a cluster of `count` nodes on the loopback interface.
    ///
    /// # Errors
    /// As [`Home::start`].
    pub fn start_cluster(&self, count: usize) -> Result<Vec<RunningServer>, ServerError> {
        let packages = ["mariadb-server-core", "galera-4", "libc6"];
        let root = Unpacked::get(self, "galera11.8", "trixie", &packages)?;
        let provider = root.usr("lib/galera/libgalera_smm.so").display().to_string();
        let mut nodes: Vec<RunningServer> = Vec::new();
        let mut members: Vec<String> = Vec::new();
        for number in 1..=count {
            let (talk, transfer) = (free_port()?, free_port()?);
            let options = [
                "--wsrep-on=ON".to_owned(),
                format!("--wsrep-provider={provider}"),
                "--wsrep-cluster-name=trueup".to_owned(),
                format!("--wsrep-cluster-address=gcomm://{}", members.join(",")),
                format!("--wsrep-node-name=node{number}"),
                format!("--wsrep-node-address=127.0.0.1:{talk}"),
                format!(
                    "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:{talk};\
                     ist.recv_addr=127.0.0.1:{transfer};gcache.size=16M;socket.checksum=1"
                ),
                // Every node begins with the same system tables and nothing else, so there is nothing to hand over.
                "--wsrep-sst-method=skip".to_owned(),
                "--binlog-format=ROW".to_owned(),
                "--innodb-autoinc-lock-mode=2".to_owned(),
                format!("--server-id={number}"),
            ];
            let node = Self::start_as("galera11.8", Engine::MariaDb, Lifetime::Owner, &|run: &Path, port| {
                let mut recipe = mariadb::unpacked(&root, &root.usr("share/mariadb"), "mariadb", run, port)?;
                recipe.serve.words.extend(options.iter().cloned());
                Ok(recipe)
            })?;
            members.push(format!("127.0.0.1:{talk}"));
            nodes.push(node);
        }
        Ok(nodes)
    }
}
