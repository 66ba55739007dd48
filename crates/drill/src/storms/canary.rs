//! A password that is looked for in every byte that a run leaves behind.

use anyhow::{Context, Result, ensure};
use trueup::schema::DialectId;
use trueup::session::{DatabaseUrl, Session};

use crate::arena::{Arena, Place};
use crate::crash::Wanted;
use crate::job::{Blow, Job, Strike, Talk, When};
use crate::kinds::kind;
use crate::process::{Printed, start};

/// How a password may be written in a URL: as it is, and with what has to be escaped.
const SPELLINGS: [(&str, &str); 2] =
    [("kanarienvogel77", "kanarienvogel77"), ("kanarien%2Fvogel%4077", "kanarien/vogel@77")];

pub(crate) async fn canary(place: &Place, wanted: &Wanted) -> Result<String> {
    let arena = Arena::new(place)?;
    let kind = kind(place.dialect(), "several")?;
    let (mut runs, mut traced, mut bytes) = (0, 0, 0);
    for (escaped, password) in SPELLINGS {
        arena.reset(&kind).await?;
        let document = arena.document(&kind).await?;
        let role = format!("trueup_drill_{:08x}", rand::random::<u32>());
        let mut session = arena.session().await?;
        for sql in make(place.dialect(), &role, password) {
            session.execute(&sql).await?;
        }
        let server = place.server.rsplit('@').next().context("a URL without a host")?;
        let scheme = place.server.split("://").next().context("a URL without a scheme")?;
        let url = |secret: &str| {
            DatabaseUrl::parse(&format!("{scheme}://{role}:{secret}@{server}/{}", arena.name()))
                .map_err(anyhow::Error::from)
        };
        let good = Job { talk: Talk::Loud, ..Job::new(&url(escaped)?, &document) };
        let struck = |at, blow| Job { strike: Some(Strike { at, when: When::Before, blow }), ..good.clone() };
        let jobs = [
            ("cut off", struck(12, Blow::Reset)),
            ("ended", struck(20, Blow::EndBackend)),
            ("panicking", Job { talk: Talk::Panic, ..good.clone() }),
            ("well", good.clone()),
            ("wrong password", Job { talk: Talk::Loud, ..Job::new(&url(&format!("{escaped}x"))?, &document) }),
            ("no server", Job { url: nowhere(&good.url)?, ..good.clone() }),
            ("no declaration", Job { document: "CREATE TABLE (".to_owned(), ..good.clone() }),
        ];
        for (name, job) in jobs {
            let (_, printed) = start(&job, &arena, wanted)?.printed().await?;
            bytes += printed.stdout.len() + printed.stderr.len();
            silent_on(&printed, name, &[escaped, password])?;
            traced +=
                usize::from(["TRACE ", "DEBUG ", "INFO ", "WARN "].iter().any(|level| printed.stderr.contains(level)));
            runs += 1;
        }
        let kept = control_rows(session.as_mut(), place.dialect()).await?;
        ensure!(kept.contains("synced"), "the control tables hold nothing: {kept}");
        bytes += kept.len();
        for secret in [escaped, password] {
            ensure!(!kept.contains(secret), "the control tables hold the password: {}", around(&kept, secret));
        }
        for sql in unmake(place.dialect(), &role) {
            session.execute(&sql).await?;
        }
        session.close().await?;
    }
    arena.clear().await?;
    ensure!(traced > 0, "nothing was traced");
    Ok(format!("{runs} runs with every trace on, {bytes} bytes of output and control rows: no password in any"))
}

/// That a run shows no secret, and that there is something that it shows.
fn silent_on(printed: &Printed, name: &str, secrets: &[&str]) -> Result<()> {
    for (stream, text) in [("stdout", &printed.stdout), ("stderr", &printed.stderr)] {
        for secret in secrets {
            ensure!(
                !text.contains(secret),
                "a run that is {name} shows the password on {stream}: {}",
                around(text, secret)
            );
        }
    }
    let is_said = match name {
        "panicking" => printed.stderr.contains("panicked"),
        _ => printed.stdout.contains("status") || printed.stderr.contains("error: "),
    };
    ensure!(is_said, "a run that is {name} said nothing: {}", printed.stderr);
    Ok(())
}

fn make(dialect: DialectId, role: &str, password: &str) -> Vec<String> {
    match dialect {
        DialectId::Postgres => vec![format!("CREATE ROLE {role} SUPERUSER LOGIN PASSWORD '{password}'")],
        DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => vec![
            format!("CREATE USER {role}@'127.0.0.1' IDENTIFIED BY '{password}'"),
            format!("GRANT ALL ON *.* TO {role}@'127.0.0.1'"),
        ],
    }
}

fn unmake(dialect: DialectId, role: &str) -> Vec<String> {
    match dialect {
        DialectId::Postgres => {
            vec![
                format!("REASSIGN OWNED BY {role} TO CURRENT_USER"),
                format!("DROP OWNED BY {role}"),
                format!("DROP ROLE {role}"),
            ]
        }
        DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => vec![format!("DROP USER {role}@'127.0.0.1'")],
    }
}

/// The same URL with a port where nobody listens.
fn nowhere(url: &str) -> Result<String> {
    let (front, database) = url.rsplit_once('/').context("a URL without a database")?;
    let (host, _) = front.rsplit_once(':').context("a URL without a port")?;
    Ok(format!("{host}:1/{database}"))
}

/// Everything in the control tables, as text.
async fn control_rows(session: &mut dyn Session, dialect: DialectId) -> Result<String> {
    let mut text = String::new();
    for table in ["_trueup_history", "_trueup_ledger", "_trueup_lock", "_trueup_objects"] {
        let sql = match dialect {
            DialectId::Postgres => format!("SELECT t::text FROM trueup.{table} AS t"),
            DialectId::MySql | DialectId::MariaDb | DialectId::Sqlite => {
                let columns = "SELECT GROUP_CONCAT(CONCAT('`', column_name, '`')) FROM information_schema.columns \
                               WHERE table_schema = DATABASE() AND table_name = ?";
                let rows = session.query(columns, &[table.into()]).await?;
                let names = rows.first().context("no columns")?.text(0)?.to_owned();
                format!("SELECT CAST(CONCAT_WS('|', {names}) AS CHAR) FROM `{table}`")
            }
        };
        for row in session.query(&sql, &[]).await? {
            text = format!("{text}{}\n", row.text(0)?);
        }
    }
    Ok(text)
}

/// What is in front of a secret, to find out who said it.
fn around(text: &str, secret: &str) -> String {
    let at = text.find(secret).unwrap_or_default();
    let from = text.char_indices().map(|(at, _)| at).rfind(|start| start + 200 <= at).unwrap_or_default();
    text.get(from..at).unwrap_or_default().to_owned()
}
