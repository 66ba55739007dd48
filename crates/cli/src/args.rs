//! Flags and verbs.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Declare a schema; trueup compares it with the live database, plans, refuses what is unsafe, applies under a lock, and proves it.
#[derive(Debug, Parser)]
#[command(
    name = "trueup",
    version,
    max_term_width = 100,
    after_help = "\
Exit codes:
  0  done, or nothing to do, or (plan) pending work that needs nobody's consent
  2  a human is needed: refused, held back, declined, drift, a lossy or blocked plan
  1  no answer: error, not converged, lost lock, deadline"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Show what would make the database look as declared. Changes nothing.
    Plan(PlanArgs),
    /// Make the database look as declared, under a lock, and prove it.
    Apply(ApplyArgs),
    /// Print the live schema, or with --schema the declared one as the server spells it.
    Inspect(InspectArgs),
    /// Compare two schemas: each a database URL, SQL files or a document.
    Diff(DiffArgs),
    /// Say whether tracked objects still look as the last apply left them.
    Drift(DriftArgs),
    /// Show the last runs and whether one is unfinished.
    Status(StatusArgs),
    /// Apply the plan to a throw-away copy of the database and report.
    Rehearse(RehearseArgs),
    /// Look at what an unfinished run left, settle it, or give it up.
    Ledger {
        #[command(subcommand)]
        act: LedgerAct,
    },
    /// Look at who holds the lock, or free it.
    Lock {
        #[command(subcommand)]
        act: LockAct,
    },
    /// Write a trueup.toml and a first schema file.
    Init(InitArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Clone, Args)]
pub(crate) struct TargetArgs {
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        value_name = "URL",
        help = "The database: postgres://…, mysql://…, mariadb://…, sqlite://PATH. Else DATABASE_URL, else trueup.toml"
    )]
    pub(crate) url: Option<String>,
    /// The settings file.
    #[arg(long, value_name = "FILE", default_value = "trueup.toml")]
    pub(crate) config: PathBuf,
    /// The project's name: two projects in one database never touch each other's objects.
    #[arg(long, value_name = "NAME")]
    pub(crate) scope: Option<String>,
    /// Namespace of the control tables (PostgreSQL).
    #[arg(long, value_name = "NAME")]
    pub(crate) control_namespace: Option<String>,
    /// Seconds to wait for the server to answer.
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    pub(crate) connect_timeout: u64,
    /// Compare owners too.
    #[arg(long)]
    pub(crate) owners: bool,
    /// Make sense of declared SQL anew, rather than recall what a dev database made of the same files.
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Look at these namespaces besides those that the declaration names; `*` stands for any text.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) namespace: Vec<String>,
    /// Look only at objects whose name matches; `*` stands for any text.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) include: Vec<String>,
    /// Leave alone objects whose name matches.
    #[arg(long, value_name = "PATTERN")]
    pub(crate) exclude: Vec<String>,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct DeclarationArgs {
    /// The declared schema: SQL files, folders, patterns, or one JSON or TOML document.
    #[arg(long, value_name = "PATH")]
    pub(crate) schema: Vec<PathBuf>,
    /// A server for scratch databases, of the target's engine and major version. Else the target's own server.
    #[arg(long, value_name = "URL", env = "TRUEUP_DEV_URL", hide_env_values = true)]
    pub(crate) dev_url: Option<String>,
    /// Let DO blocks of the declaration run in the scratch database (PostgreSQL).
    #[arg(long)]
    pub(crate) allow_do: bool,
    /// Whose objects may be dropped when the declaration lacks them.
    #[arg(long, value_enum, value_name = "WHOSE")]
    pub(crate) ownership: Option<OwnershipArg>,
    /// Keep back everything that is not additive.
    #[arg(long)]
    pub(crate) safe: bool,
    /// A drop and an add of like things are meant as such, not as a rename.
    #[arg(long)]
    pub(crate) no_renames: bool,
    /// Live objects of kinds that trueup does not model are a note, not a refusal.
    #[arg(long)]
    pub(crate) ignore_unmanaged: bool,
    /// Let the server alter tables in whatever way it must, for as long as it takes: do not hold it to what was foreseen. MySQL and
    /// MariaDB are told an algorithm and a lock, PostgreSQL is given ten seconds where no rows should be read or written.
    #[arg(long)]
    pub(crate) any_algorithm: bool,
    /// Work beside live traffic: indexes concurrently, rules looked at after they bind, in more than one transaction (PostgreSQL; the
    /// other engines' statements say what they may lock anyway).
    #[arg(long)]
    pub(crate) online: bool,
    /// Refuse when anything in scope is not managed: of a kind that trueup does not model, or nobody's.
    #[arg(long, conflicts_with = "ignore_unmanaged")]
    pub(crate) strict: bool,
    /// Record that an operation's declared text means what is live. Runs nothing for it.
    #[arg(long, value_name = "OP")]
    pub(crate) accept_text: Vec<String>,
    /// Write an operation's declared text again.
    #[arg(long, value_name = "OP")]
    pub(crate) rewrite_text: Vec<String>,
    /// Agree to lose data: all of it, or only by the named operations.
    #[arg(long, value_name = "OP", num_args = 0..=1, require_equals = true, default_missing_value = "*", value_delimiter = ',')]
    pub(crate) allow_lossy: Vec<String>,
    /// Compare every table, not only those to be altered or adopted, with the server's own words for it (MySQL, MariaDB).
    #[arg(long)]
    pub(crate) verify: bool,
    /// Do not ask the rows whether they allow the change.
    #[arg(long, visible_alias = "no-checks")]
    pub(crate) skip_data_checks: bool,
    /// Seconds for each question to the rows.
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub(crate) check_timeout: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OwnershipArg {
    /// Those that an earlier apply made or adopted.
    Tracked,
    /// Everything in scope.
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PlanFormat {
    Text,
    Json,
    Sql,
    Markdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaFormat {
    Text,
    Sql,
    Json,
    Toml,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) declaration: DeclarationArgs,
    /// How to print the plan.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: PlanFormat,
    /// Show the SQL below each operation.
    #[arg(long)]
    pub(crate) sql: bool,
    /// Exit with 2 when anything is pending.
    #[arg(long)]
    pub(crate) exit_code: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) declaration: DeclarationArgs,
    /// How to print the result.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: PlanFormat,
    /// Do not ask before running.
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Run even where the history or a peer says that it was done.
    #[arg(long)]
    pub(crate) force: bool,
    /// Believe the history when it says that this declaration was reached, without looking.
    #[arg(long)]
    pub(crate) trust_history: bool,
    /// Seconds to wait for another run to end.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) lock_wait: u64,
    /// Wait until this replica has what was done, after each part that is committed and at the end. May be said more than once.
    #[arg(long, value_name = "URL")]
    pub(crate) replica: Vec<String>,
    /// Longest wait for the replicas after each part, in seconds. Past that the run ends, and the next one goes on.
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub(crate) replica_wait: u64,
    /// A note for the history.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// The environment's name, for the history.
    #[arg(long, value_name = "NAME")]
    pub(crate) environment: Option<String>,
    /// Refuse unless the plan still has this hash.
    #[arg(long, value_name = "HASH")]
    pub(crate) plan_hash: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Print this declaration instead, as the server spells it: a compiled document needs no scratch database later.
    #[arg(long, value_name = "PATH")]
    pub(crate) schema: Vec<PathBuf>,
    /// A server for scratch databases.
    #[arg(long, value_name = "URL", env = "TRUEUP_DEV_URL", hide_env_values = true)]
    pub(crate) dev_url: Option<String>,
    /// Let DO blocks of the declaration run in the scratch database (PostgreSQL).
    #[arg(long)]
    pub(crate) allow_do: bool,
    /// How to print the schema.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: SchemaFormat,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// The schema to come from: a database URL, SQL files, a folder, or a document.
    #[arg(long, value_name = "URL or PATH")]
    pub(crate) from: String,
    /// The schema to get to: a database URL, SQL files, a folder, or a document.
    #[arg(long, value_name = "URL or PATH")]
    pub(crate) to: String,
    /// A server for scratch databases, where neither side is a database.
    #[arg(long, value_name = "URL", env = "TRUEUP_DEV_URL", hide_env_values = true)]
    pub(crate) dev_url: Option<String>,
    /// A drop and an add of like things are meant as such, not as a rename.
    #[arg(long)]
    pub(crate) no_renames: bool,
    /// As it would be done beside live traffic, where both have rows (PostgreSQL).
    #[arg(long)]
    pub(crate) online: bool,
    /// How to print the difference.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: PlanFormat,
    /// Show the SQL below each operation.
    #[arg(long)]
    pub(crate) sql: bool,
    /// Exit with 2 when there is a difference.
    #[arg(long)]
    pub(crate) exit_code: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DriftArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// How many runs to show.
    #[arg(long, default_value_t = 10)]
    pub(crate) limit: usize,
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
pub(crate) struct RehearseArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) declaration: DeclarationArgs,
    /// Copy the rows too, so that the rows' own objections show.
    #[arg(long)]
    pub(crate) with_data: bool,
    /// Leave the copy there and say where it is.
    #[arg(long)]
    pub(crate) keep: bool,
    /// How to print the report.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Subcommand)]
pub(crate) enum LedgerAct {
    /// List the steps of unfinished runs, and what the live schema says of each. Changes nothing.
    Show(ShowArgs),
    /// Record what became of each step that was begun: what the live schema proves, or your word where it does not tell.
    Resolve(ResolveArgs),
    /// Give an unfinished run up, once every step that it had begun is decided. What it did stays as it is.
    Abandon(AbandonArgs),
}

#[derive(Debug, Subcommand)]
pub(crate) enum LockAct {
    /// Say who holds the lock and the lease. Changes nothing.
    Show(ShowArgs),
    /// Free what a dead run left. A live session keeps its lock unless you end it with --terminate.
    Break(BreakArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// How an operator's act is recorded, and how long it may wait.
#[derive(Debug, Args)]
pub(crate) struct ActArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Seconds to wait for another run, or for a session to end.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) lock_wait: u64,
    /// A note for the history.
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
    /// How to print the answer.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ReportFormat,
}

#[derive(Debug, Args)]
pub(crate) struct ResolveArgs {
    /// The run. Without it, every step is decided that the live schema decides.
    #[arg(value_name = "RUN", requires = "step")]
    pub(crate) run: Option<String>,
    /// The number of the step.
    #[arg(value_name = "STEP")]
    pub(crate) step: Option<i64>,
    /// It happened.
    #[arg(long, requires = "run", conflicts_with = "undone")]
    pub(crate) done: bool,
    /// It did not happen.
    #[arg(long, requires = "run")]
    pub(crate) undone: bool,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AbandonArgs {
    /// The run.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

#[derive(Debug, Args)]
pub(crate) struct BreakArgs {
    /// End the session that holds it, if it is alive: its statement is rolled back as far as the engine can.
    #[arg(long)]
    pub(crate) terminate: bool,
    #[command(flatten)]
    pub(crate) act: ActArgs,
}

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The folder to write into.
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// The database: its engine decides what the first schema file looks like.
    #[arg(long, value_name = "URL", default_value = "sqlite://app.db")]
    pub(crate) url: String,
}
