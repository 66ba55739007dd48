//! A folder to run the built command in, and what it said.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The password of every test. No command of the whole suite may say it.
pub(crate) const CANARY: &str = "kan4ri-s3cret";

/// The built command.
pub(crate) const TRUEUP: &str = env!("CARGO_BIN_EXE_trueup");

/// A temporary folder with the files of one test.
#[derive(Debug)]
pub(crate) struct Place {
    folder: TempDir,
    /// Where its commands keep what they compiled.
    cache: TempDir,
}

/// What a command said, and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = |prefix| TempDir::with_prefix(prefix).unwrap();
        Self { folder: folder("trueup-test-cli-"), cache: folder("trueup-test-cache-") }
    }

    /// A folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = Self::new();
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Every file below, with its bytes.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    found.insert(path.strip_prefix(self.path()).unwrap().to_owned(), fs::read(&path).unwrap());
                }
            }
        }
        found
    }

    /// The command with `words`, without a terminal and with nothing of our own environment that it reads.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(TRUEUP);
        command.args(words).current_dir(self.path()).stdin(Stdio::null());
        for name in ["DATABASE_URL", "TRUEUP_DEV_URL", "NO_COLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        self.at_home(&mut command);
        command
    }

    /// Gives `command` the user and the cache of this place.
    pub(crate) fn at_home(&self, command: &mut Command) {
        command.env("USER", "ada").env("TRUEUP_CACHE_DIR", self.cache.path());
    }

    /// Runs it.
    pub(crate) fn run(&self, words: &[&str]) -> Said {
        Said::of(self.command(words).output().unwrap())
    }

    /// Runs what must fail with `code` and an empty standard output, and change no file.
    pub(crate) fn fails(&self, code: i32, words: &[&str]) -> String {
        let before = self.files();
        let said = self.run(words);
        assert_eq!((said.code, said.stdout.as_str()), (code, ""), "{words:?}: {}", said.stderr);
        assert!(self.files() == before, "{words:?} changed a file: {:?}", self.files().keys());
        said.stderr
    }

    /// What the `sqlite3` of the tests' own driver finds: every object's type, name and text, and so what an outsider sees.
    pub(crate) fn sqlite(&self, file: &str, sql: &str) -> Vec<String> {
        let url = format!("sqlite://{}", self.path().join(file).display());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let url = trueup::session::DatabaseUrl::parse(&url).unwrap();
            let connector = trueup::session::connector(url).unwrap();
            let options = trueup::session::ConnectOptions {
                create_if_missing: true,
                ..trueup::session::ConnectOptions::default()
            };
            let mut session = connector.connect(&options).await.unwrap();
            let rows = session.query(sql, &[]).await.unwrap();
            session.close().await.unwrap();
            rows.iter().map(|row| row.text_or_null(0).unwrap().unwrap_or("NULL").to_owned()).collect()
        })
    }
}

impl Said {
    pub(crate) fn of(output: std::process::Output) -> Self {
        for bytes in [&output.stdout, &output.stderr] {
            assert!(!bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes()), "a password was shown");
        }
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let said =
            Self { code: output.status.code().unwrap_or(-1), stdout: text(output.stdout), stderr: text(output.stderr) };
        assert!(!said.stderr.contains("panicked"), "{}", said.stderr);
        said
    }

    /// Asserts how it ended.
    #[track_caller]
    pub(crate) fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }
}

/// A folder with one good SQL file, `ok.sql`.
pub(crate) fn with_ok() -> Place {
    Place::with(&[("ok.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY);\n")])
}
