//! Several MariaDB servers that are one Galera cluster: each of them writes, and each has what the others wrote.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::debian::Unpacked;
use super::home::free_port;
use super::recipe::Recipe;
use super::{Engine, Home, Lifetime, RunningServer, ServerError, mariadb};

/// What such a server is called.
const NAME: &str = "galera11.8";

/// The folder of the handover below, under a name that changes with its text.
const HANDOVER_FOLDER: &str = "galera-handover-1";

/// How a new node gets its data. All nodes are on this machine and of one account, so that the old node copies its files to
/// where the new one says, and no server of files is needed. The talk with the server on standard output is its own.
const HANDOVER: &str = r#"#!/bin/sh
set -eu
role= data= address= state= domain= parent= bypass=
while [ $# -gt 0 ]; do
    case "$1" in
    --role) role=$2; shift ;;
    --datadir) data=${2%/}; shift ;;
    --address) address=$2; shift ;;
    --gtid) state=$2; shift ;;
    --gtid-domain-id) domain=$2; shift ;;
    --parent) parent=$2; shift ;;
    --bypass) bypass=yes ;;
    --mysqld-args) break ;;
    esac
    shift
done
if [ "$role" = joiner ]; then
    echo "ready $data"
    until [ -s "$data/handed-over" ]; do
        kill -0 "$parent" 2>/dev/null || exit 32
        sleep 0.1
    done
    cat "$data/handed-over"
    rm "$data/handed-over"
    exit
fi
position="$state $domain"
if [ -z "$bypass" ]; then
    rm -f "$data/tables_flushed"
    echo "flush tables"
    until [ -s "$data/tables_flushed" ]; do
        kill -0 "$PPID" 2>/dev/null || exit 32
        sleep 0.1
    done
    # The server holds its files still only after it has written that.
    sleep 0.5
    position=$(cat "$data/tables_flushed")
    state=${position%% *}
    rm "$data/tables_flushed"
    for path in "$data"/*; do
        case "${path##*/}" in
        galera.cache | grastate.dat | gvwstate.dat | ibtmp* | *.pid) ;;
        *) cp -a "$path" "$address/" ;;
        esac
    done
    echo continue
fi
echo "$position" >"$address/handed-over.new"
mv "$address/handed-over.new" "$address/handed-over"
echo "done $state"
"#;

impl Home {
    /// Starts a cluster of `count` nodes on the loopback interface, one after the other. A node that greets may not yet have
    /// everything that the others have.
    ///
    /// # Errors
    /// As [`Home::start`].
    pub fn start_cluster(&self, count: usize) -> Result<Vec<RunningServer>, ServerError> {
        let root = Unpacked::get(self, NAME, "trixie", &["mariadb-server-core", "galera-4", "libc6"])?;
        // Not beside the data, which may be where nothing can be executed.
        let programs = self.download(HANDOVER_FOLDER, |folder| {
            let path = folder.join("wsrep_sst_handover");
            fs::write(&path, HANDOVER).map_err(ServerError::io(&path))?;
            fs::set_permissions(&path, Permissions::from_mode(0o755)).map_err(ServerError::io(&path))
        })?;
        let mut nodes: Vec<RunningServer> = Vec::new();
        let mut members: Vec<String> = Vec::new();
        for number in 1..=count {
            let talk = free_port()?;
            let node =
                Node { root: &root, programs: &programs, number, talk, transfer: free_port()?, members: &members };
            nodes.push(Self::start_as(NAME, Engine::MariaDb, Lifetime::Owner, &|run, port| node.recipe(run, port))?);
            members.push(format!("127.0.0.1:{talk}"));
        }
        Ok(nodes)
    }
}

/// One node to be.
struct Node<'a> {
    root: &'a Unpacked,
    /// Where the handover is.
    programs: &'a Path,
    number: usize,
    /// Where it talks with the others.
    talk: u16,
    /// Where it is told what has come since its data was copied.
    transfer: u16,
    /// Those that are there already.
    members: &'a [String],
}

impl Node<'_> {
    fn recipe(&self, run: &Path, port: u16) -> Result<Recipe, ServerError> {
        let mut recipe = mariadb::unpacked(self.root, &self.root.usr("share/mariadb"), "mariadb", run, port)?;
        if !self.members.is_empty() {
            // Tables and accounts come with the data of the others.
            recipe.initialise.clear();
            recipe.folders.retain(|folder| !folder.ends_with("data/mysql"));
            recipe.serve.words.retain(|word| !word.starts_with("--init-file="));
        }
        recipe.serve.words.extend(self.options());
        let path = format!("PATH={}:/usr/local/bin:/usr/bin:/bin", self.programs.display());
        recipe.serve.words.splice(0..0, ["env".to_owned(), path]);
        Ok(recipe)
    }

    fn options(&self) -> Vec<String> {
        let Self { number, talk, transfer, .. } = self;
        let provider: PathBuf = self.root.usr("lib/galera/libgalera_smm.so");
        vec![
            "--wsrep-on=ON".to_owned(),
            format!("--wsrep-provider={}", provider.display()),
            "--wsrep-cluster-name=trueup".to_owned(),
            format!("--wsrep-cluster-address=gcomm://{}", self.members.join(",")),
            format!("--wsrep-node-name=node{number}"),
            format!("--wsrep-node-address=127.0.0.1:{talk}"),
            // A machine that is busy is no node that is lost.
            format!(
                "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:{talk};ist.recv_addr=127.0.0.1:{transfer};\
                 gcache.size=16M;evs.suspect_timeout=PT30S;evs.inactive_timeout=PT60S"
            ),
            "--wsrep-sst-method=handover".to_owned(),
            "--binlog-format=ROW".to_owned(),
            "--innodb-autoinc-lock-mode=2".to_owned(),
            format!("--server-id={number}"),
        ]
    }
}
