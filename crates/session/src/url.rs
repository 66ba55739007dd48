//! Database URLs that never show their secrets.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use trueup_schema::DialectId;

/// What is written as it is inside a part of a URL.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// The same for the path of an SQLite file.
const PATH: &AsciiSet = &PART.remove(b'/').remove(b':').remove(b'\\').remove(b' ');

/// The name of SQLite's database that lives in memory only.
const MEMORY: &str = ":memory:";

/// A parsed database URL. `Display` and `Debug` hide the password and every query value.
///
/// - `postgres://user:password@host:port/database?sslmode=require`; `postgresql` is the same. A socket's folder goes
///   into `?host=/folder`.
/// - `mysql://…` and `mariadb://…` alike; both lead to whichever of the two answers. A socket goes into `?socket=/file`.
/// - `sqlite://file.db`, `sqlite:file.db`, `sqlite:///absolute/file.db`, `sqlite::memory:`; `?mode=ro`, `rw`, `rwc`
///   or `memory`.
#[derive(Clone, PartialEq, Eq)]
pub struct DatabaseUrl {
    raw: String,
    parts: Parts,
}

#[derive(Clone, PartialEq, Eq)]
struct Parts {
    scheme: DialectId,
    user: Option<String>,
    password: Option<String>,
    /// A host, or a folder or file of a socket.
    host: Option<String>,
    port: Option<u16>,
    database: Option<String>,
    parameters: Vec<(String, String)>,
}

/// Why a text is not a database URL. Never repeats the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The scheme is not one that trueup knows.
    #[error("unknown database URL scheme; use postgres://, mysql://, mariadb:// or sqlite://")]
    Scheme,
    /// There is no scheme at all.
    #[error("not a database URL; a file of SQLite is written sqlite://file.db")]
    NoScheme,
    /// The rest does not parse.
    #[error("the database URL does not parse: {0}")]
    Malformed(String),
    /// The engine's driver is not part of this build.
    #[error("this build has no driver for `{scheme}`: it needs the feature `{feature}` of `trueup-session`")]
    NoDriver {
        /// The scheme of the URL.
        scheme: &'static str,
        /// The feature that brings the driver.
        feature: &'static str,
    },
}

fn malformed(why: &str) -> UrlError {
    UrlError::Malformed(why.to_owned())
}

impl DatabaseUrl {
    /// Parses `text`.
    ///
    /// # Errors
    /// [`UrlError`], which never repeats the text.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let text = text.trim();
        let (scheme, rest) = text.split_once(':').ok_or(UrlError::NoScheme)?;
        // `C:\file.db` is a path, and so is `./a:b`.
        if scheme.len() < 2 || !scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.')) {
            return Err(UrlError::NoScheme);
        }
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "postgres" | "postgresql" => DialectId::Postgres,
            "mysql" => DialectId::MySql,
            "mariadb" => DialectId::MariaDb,
            "sqlite" => DialectId::Sqlite,
            _ => return Err(UrlError::Scheme),
        };
        let parts = if scheme == DialectId::Sqlite { Parts::of_file(rest)? } else { Parts::of_server(scheme, rest)? };
        Ok(Self { raw: parts.text(true), parts })
    }

    /// The engine that the scheme names. A `mysql:` URL may still lead to MariaDB.
    #[must_use]
    pub const fn scheme(&self) -> DialectId {
        self.parts.scheme
    }

    /// The database's name, or the file's path on SQLite (`:memory:` for one in memory).
    #[must_use]
    pub fn database(&self) -> Option<&str> {
        self.parts.database.as_deref()
    }

    /// The host, or the path of a socket; none on SQLite and where the URL leaves it to the default.
    #[must_use]
    pub fn host(&self) -> Option<&str> {
        self.parts.host.as_deref()
    }

    /// The port, where the URL names one.
    #[must_use]
    pub const fn port(&self) -> Option<u16> {
        self.parts.port
    }

    /// The role that logs in, where the URL names one.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        self.parts.user.as_deref()
    }

    /// Whether it carries a password or another secret.
    #[must_use]
    pub fn has_secret(&self) -> bool {
        self.parts.password.is_some()
            || self
                .parts
                .parameters
                .iter()
                .any(|(key, _)| ["pass", "secret", "key"].iter().any(|word| key.contains(word)))
    }

    /// Whether it is an SQLite database in memory: every session has one of its own.
    #[must_use]
    pub fn is_in_memory(&self) -> bool {
        self.parts.scheme == DialectId::Sqlite && self.database() == Some(MEMORY)
    }

    /// The value of a query parameter. May be a secret.
    #[must_use]
    pub fn secret_parameter(&self, name: &str) -> Option<&str> {
        self.parts.parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The names of all query parameters.
    pub fn parameter_names(&self) -> impl Iterator<Item = &str> {
        self.parts.parameters.iter().map(|(key, _)| key.as_str())
    }

    /// The same server and login, but another database (another file on SQLite).
    #[must_use]
    pub fn with_database(&self, database: &str) -> Self {
        let parts = Parts { database: Some(database.to_owned()), ..self.parts.clone() };
        Self { raw: parts.text(true), parts }
    }

    /// The text with its secrets, for the driver only.
    #[must_use]
    pub fn secret_text(&self) -> &str {
        &self.raw
    }

    /// Where it leads, for messages: `` `shop` at db.example:5432 ``.
    #[must_use]
    pub fn place(&self) -> String {
        let database = self.database().map_or_else(|| "the default database".to_owned(), |name| format!("`{name}`"));
        if self.parts.scheme == DialectId::Sqlite {
            return database;
        }
        let host = self.host().unwrap_or("localhost");
        match self.port() {
            Some(port) => format!("{database} at {host}:{port}"),
            None => format!("{database} at {host}"),
        }
    }
}

impl Parts {
    /// What follows `sqlite:`.
    fn of_file(rest: &str) -> Result<Self, UrlError> {
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut parameters: Vec<_> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        for (key, value) in &parameters {
            match (key.as_str(), value.as_str()) {
                ("mode", "ro" | "rw" | "rwc" | "memory") => {}
                ("mode", _) => return Err(malformed("`mode` is one of ro, rw, rwc and memory")),
                ("cache", "private") => {}
                ("cache", _) => return Err(malformed("a shared cache is not supported")),
                _ => return Err(malformed("an SQLite URL takes no parameters but `mode`")),
            }
        }
        let path = decoded(path)?;
        let in_memory = path == MEMORY || parameters.iter().any(|(key, value)| key == "mode" && value == "memory");
        parameters.retain(|(_, value)| value != "memory");
        if path.is_empty() && !in_memory {
            return Err(malformed("it names no file"));
        }
        if path.starts_with("file:") {
            return Err(malformed("write the path itself, without `file:`"));
        }
        let database = Some(if in_memory { MEMORY.to_owned() } else { path });
        Ok(Self { scheme: DialectId::Sqlite, user: None, password: None, host: None, port: None, database, parameters })
    }

    /// What follows the scheme of a server's URL.
    fn of_server(scheme: DialectId, rest: &str) -> Result<Self, UrlError> {
        if !rest.starts_with("//") {
            return Err(malformed("`//` should follow the scheme"));
        }
        // The parser's own errors are fixed texts: they never repeat what they were given.
        let url = url::Url::parse(&format!("{}:{rest}", scheme.as_str())).map_err(|e| malformed(&e.to_string()))?;
        // A password with a bare `#`, `?` or `/` ends the authority too early. What follows would be shown as a database.
        let late_at =
            url.username().is_empty() && (url.path().contains('@') || url.query().is_some_and(|q| q.contains('@')));
        if url.fragment().is_some() || late_at {
            return Err(malformed("write `#` as %23, `?` as %3F, `/` as %2F and `@` as %40 in names and passwords"));
        }
        let some = |text: &str| if text.is_empty() { Ok(None) } else { decoded(text).map(Some) };
        let mut parts = Self {
            scheme,
            user: some(url.username())?,
            password: url.password().map(decoded).transpose()?,
            host: some(url.host_str().unwrap_or_default())?,
            port: url.port(),
            database: some(url.path().strip_prefix('/').unwrap_or_default())?,
            parameters: Vec::new(),
        };
        for (key, value) in url.query_pairs().into_owned() {
            parts.take(key, value)?;
        }
        if parts.database.as_deref().is_some_and(|name| name.contains('\0')) {
            return Err(malformed("the database's name holds a NUL character"));
        }
        Ok(parts)
    }

    /// Takes one query parameter; those that say what the URL's other parts say take their place.
    fn take(&mut self, key: String, value: String) -> Result<(), UrlError> {
        match (self.scheme, key.as_str()) {
            (DialectId::Postgres, "host" | "hostaddr") => self.host = Some(value),
            (DialectId::Postgres, "port") => {
                self.port = Some(value.parse().map_err(|_| malformed("invalid port number"))?);
            }
            (DialectId::Postgres, "user") => self.user = Some(value),
            (DialectId::Postgres, "password") => self.password = Some(value),
            (DialectId::Postgres, "dbname") => self.database = Some(value),
            (DialectId::MySql | DialectId::MariaDb, "socket") => self.host = Some(value),
            _ => self.parameters.push((key, value)),
        }
        Ok(())
    }

    /// The URL as text, with or without its secrets.
    fn text(&self, secrets: bool) -> String {
        let part = |text: &str| utf8_percent_encode(text, PART).to_string();
        if self.scheme == DialectId::Sqlite {
            let path = self.database.as_deref().unwrap_or_default();
            let start = if path == MEMORY { "sqlite:" } else { "sqlite://" };
            return format!("{start}{}{}", utf8_percent_encode(path, PATH), self.query(secrets));
        }
        let mut text = format!("{}://", self.scheme.as_str());
        let password = self.password.as_deref().filter(|_| secrets).map(|password| format!(":{}", part(password)));
        if self.user.is_some() || password.is_some() {
            text.push_str(&part(self.user.as_deref().unwrap_or_default()));
            text.push_str(&password.unwrap_or_default());
            text.push('@');
        }
        // A path of a socket is encoded, an address in brackets is not.
        let host = self.host.as_deref().unwrap_or("localhost");
        text.push_str(&if host.starts_with('[') { host.to_owned() } else { part(host) });
        if let Some(port) = self.port {
            text.push(':');
            text.push_str(&port.to_string());
        }
        if let Some(database) = &self.database {
            text.push('/');
            text.push_str(&part(database));
        }
        text + &self.query(secrets)
    }

    fn query(&self, secrets: bool) -> String {
        if !secrets || self.parameters.is_empty() {
            return String::new();
        }
        let pairs = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&self.parameters).finish();
        format!("?{pairs}")
    }
}

fn decoded(text: &str) -> Result<String, UrlError> {
    let text = percent_decode_str(text).decode_utf8().map_err(|_| malformed("a part is no UTF-8 when decoded"))?;
    if text.contains('\0') { Err(malformed("a part holds a NUL character")) } else { Ok(text.into_owned()) }
}

impl FromStr for DatabaseUrl {
    type Err = UrlError;
    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::parse(text)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts.text(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> DatabaseUrl {
        DatabaseUrl::parse(text).unwrap()
    }

    #[test]
    fn a_server_url_falls_into_its_parts() {
        let url = url("postgresql://anna:s%20x@db.example:5433/shop?sslmode=require");
        assert_eq!(
            (url.scheme(), url.user(), url.host(), url.port()),
            (DialectId::Postgres, Some("anna"), Some("db.example"), Some(5433))
        );
        assert_eq!((url.database(), url.secret_parameter("sslmode")), (Some("shop"), Some("require")));
        assert_eq!(url.secret_text(), "postgres://anna:s%20x@db.example:5433/shop?sslmode=require");
        assert_eq!(url.to_string(), "postgres://anna@db.example:5433/shop");
        assert_eq!(url.place(), "`shop` at db.example:5433");
        assert_eq!(
            url.with_database("a/b").secret_text(),
            "postgres://anna:s%20x@db.example:5433/a%2Fb?sslmode=require"
        );
    }

    #[test]
    fn query_parameters_may_name_the_parts() {
        let postgres = url("postgres:///shop?host=/run/postgresql&user=anna&port=5434&password=canary");
        assert_eq!(
            (postgres.host(), postgres.port(), postgres.user()),
            (Some("/run/postgresql"), Some(5434), Some("anna"))
        );
        assert_eq!(DatabaseUrl::parse(postgres.secret_text()).unwrap(), postgres);
        assert_eq!(url("mariadb://root@localhost/x?socket=/run/my.sock").host(), Some("/run/my.sock"));
        assert_eq!(url("mysql://[::1]:3306/x").secret_text(), "mysql://[::1]:3306/x");
    }

    #[test]
    fn sqlite_urls_take_every_usual_form() {
        for (text, path) in [
            ("sqlite:a.db", "a.db"),
            ("sqlite://a.db", "a.db"),
            ("sqlite:///tmp/a%20b.db", "/tmp/a b.db"),
            ("sqlite://dir/a.db?mode=rwc", "dir/a.db"),
            ("sqlite::memory:", ":memory:"),
            ("sqlite://:memory:", ":memory:"),
            ("sqlite:x?mode=memory", ":memory:"),
        ] {
            assert_eq!(url(text).database(), Some(path), "{text}");
            assert_eq!(DatabaseUrl::parse(url(text).secret_text()).unwrap(), url(text));
        }
        assert!(url("sqlite::memory:").is_in_memory());
        assert_eq!(url("sqlite://a.db?mode=ro").with_database("b.db").secret_text(), "sqlite://b.db?mode=ro");
    }

    #[test]
    fn what_is_no_url_says_so() {
        assert_eq!(DatabaseUrl::parse("file.db"), Err(UrlError::NoScheme));
        assert_eq!(DatabaseUrl::parse("C:\\file.db"), Err(UrlError::NoScheme));
        assert!(UrlError::NoScheme.to_string().contains("sqlite://file.db"));
        assert_eq!(DatabaseUrl::parse("oracle://x"), Err(UrlError::Scheme));
        for text in [
            "postgres:x",
            "postgres://h:99999999/x",
            "sqlite://",
            "sqlite:x?mode=odd",
            "sqlite:x?_auth=1",
            "mysql://h/%FF",
        ] {
            assert!(matches!(DatabaseUrl::parse(text), Err(UrlError::Malformed(_))), "{text}");
        }
    }

    #[test]
    fn no_secret_is_ever_shown() {
        let shown = |text: &str| match DatabaseUrl::parse(text) {
            Ok(url) => format!("{url} {url:?} {}", url.place()),
            Err(error) => format!("{error} {error:?}"),
        };
        for text in [
            "postgres://anna:canary@h/x",
            "postgres://anna:canary@h:port/x",
            "postgres://anna:can#ary@h/x",
            "postgres://anna:12/canary@h/x",
            "postgres://anna:12?canary@h/x",
            "postgres://anna:12#canary@h/x",
            "postgres://h/x?password=canary",
            "postgres://h/x?sslpassword=canary&sslkey=canary",
            "mysql://anna:canary@h/x?ssl-key=canary",
            "sqlite://x?key=canary",
            "canary",
            "canary://anna:canary@h/x",
        ] {
            assert!(!shown(text).contains("canary") && !shown(text).contains("ary@"), "{}", shown(text));
        }
    }
}
