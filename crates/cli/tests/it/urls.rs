//! Databases that cannot be had.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::kit::{CANARY, with_ok};

#[track_caller]
fn no_answer(url: &str, expected: &str) {
    let place = with_ok();
    for verb in ["plan", "apply", "rehearse"] {
        let said = place.run(&[verb, "--url", url, "--schema", "ok.sql", "--connect-timeout", "3"]);
        if verb == "apply" && !said.stderr.contains(expected) {
            // without a terminal it may stop before it looks
            assert_eq!(said.code, 2, "{}", said.stderr);
        }
        if verb == "plan" {
            assert_eq!((said.code, said.stdout.as_str(), said.stderr.as_str()), (1, "", expected));
        }
    }
    let said = place.run(&["apply", "--yes", "--url", url, "--schema", "ok.sql", "--connect-timeout", "3"]).ends(1);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", expected));
    assert_eq!(place.files().len(), 1, "{:?}", place.files().keys());
}

#[test]
fn an_unknown_scheme() {
    no_answer(
        &format!("ftp://u:{CANARY}@host/x"),
        "error: unknown database URL scheme; use postgres://, mysql://, mariadb:// or sqlite://\n",
    );
}

#[test]
fn no_scheme() {
    no_answer("shop.db", "error: not a database URL; a file of SQLite is written sqlite://file.db\n");
}

#[test]
fn a_port_that_is_none() {
    no_answer(
        &format!("postgres://u:{CANARY}@host:99999/x"),
        "error: the database URL does not parse: invalid port number\n",
    );
}

#[test]
fn a_password_that_is_not_escaped() {
    for c in ["#", "/", "?", "@", "%", " "] {
        let place = with_ok();
        let url = format!("postgres://u:{CANARY}{c}{CANARY}@127.0.0.1:1/x");
        place.fails(1, &["plan", "--url", &url, "--schema", "ok.sql"]);
    }
}

#[test]
fn a_parameter_that_is_none() {
    no_answer(
        "sqlite://x.db?mode=fast",
        "error: the database URL does not parse: `mode` is one of ro, rw, rwc and memory\n",
    );
}

#[test]
fn a_port_where_nobody_answers() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for scheme in ["postgres", "mysql", "mariadb"] {
        let said = with_ok()
            .fails(1, &["plan", "--url", &format!("{scheme}://u:{CANARY}@127.0.0.1:{port}/x"), "--schema", "ok.sql"]);
        assert!(said.starts_with(&format!("error: cannot connect to `x` at 127.0.0.1:{port}\n  cause: ")), "{said}");
        assert!(said.contains("Connection refused"), "{said}");
    }
}

#[test]
fn a_host_that_does_not_exist() {
    let url = format!("postgres://u:{CANARY}@nowhere.invalid/x");
    let said = with_ok().fails(1, &["plan", "--url", &url, "--schema", "ok.sql"]);
    assert!(said.starts_with("error: cannot connect to `x` at nowhere.invalid\n  cause: "), "{said}");
}

#[test]
fn a_server_that_says_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("postgres://u:{CANARY}@{}/x", listener.local_addr().unwrap());
    let said = with_ok().fails(1, &["plan", "--url", &url, "--schema", "ok.sql", "--connect-timeout", "1"]);
    assert!(said.contains("error: cannot connect to `x`"), "{said}");
}

/// A server that asks for a password in clear text and likes none.
fn picky_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut bytes = [0; 4096];
            let mut length = stream.read(&mut bytes).unwrap_or(0);
            if length == 8 {
                // it would like to encrypt
                stream.write_all(b"N").ok();
                length = stream.read(&mut bytes).unwrap_or(0);
            }
            if length > 0 {
                stream.write_all(b"R\0\0\0\x08\0\0\0\x03").ok();
                let _got = stream.read(&mut bytes);
                let fields = b"SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed for user \"u\"\0\0";
                stream.write_all(b"E").ok();
                stream.write_all(&u32::try_from(fields.len() + 4).unwrap().to_be_bytes()).ok();
                stream.write_all(fields).ok();
            }
        }
    });
    address
}

#[test]
fn a_wrong_password_is_not_shown() {
    let address = picky_server();
    let url = format!("postgres://u:{CANARY}@{address}/x");
    for words in [
        vec!["plan", "--schema", "ok.sql"],
        vec!["apply", "--yes", "--schema", "ok.sql"],
        vec!["inspect"],
        vec!["status"],
        vec!["drift"],
        vec!["diff", "--from", "ok.sql", "--to", "ok.sql"],
        vec!["inspect", "--schema", "ok.sql", "--dev-url", &url],
    ] {
        let place = with_ok();
        let said = place.fails(1, &[words.as_slice(), &["--url", &url]].concat());
        assert!(said.contains("password authentication failed for user \"u\""), "{words:?}: {said}");
    }
    let place = with_ok();
    let mut command = place.command(&["status"]);
    let said = crate::kit::Said::of(command.env("DATABASE_URL", &url).output().unwrap()).ends(1);
    assert!(said.stderr.contains(&address), "{}", said.stderr);
    place.write("trueup.toml", format!("url = \"{url}\"\nschema = [\"ok.sql\"]\n"));
    place.run(&["plan"]).ends(1);
    // a settings file that does not parse is quoted nowhere
    place.write("trueup.toml", format!("url = \"{url}\nschema = [\"ok.sql\"]\n"));
    let said = place.fails(1, &["plan"]);
    assert!(said.starts_with("error: `trueup.toml` line 1: "), "{said}");
}

#[test]
fn a_secret_stays_out_of_a_new_settings_file() {
    let place = crate::kit::Place::new();
    place.run(&["init", "--url", &format!("postgres://u:{CANARY}@host/x")]).ends(0);
    let files = place.files();
    assert_eq!(files.len(), 2);
    assert!(!files.values().any(|bytes| String::from_utf8_lossy(bytes).contains(CANARY)));
}

#[test]
fn a_file_that_is_no_database() {
    let place = with_ok();
    place.write("notes.db", "these are notes, and enough of them to fill what could have been a header\n".repeat(40));
    let said = place.fails(1, &["plan", "--url", "sqlite://notes.db", "--schema", "ok.sql"]);
    assert!(said.contains("error: cannot connect to `notes.db`\n  cause: file is not a database"), "{said}");
    place.fails(1, &["apply", "--yes", "--url", "sqlite://notes.db", "--schema", "ok.sql"]);
}

#[test]
fn a_folder_that_is_not_there() {
    let place = with_ok();
    let said = place.fails(1, &["apply", "--yes", "--url", "sqlite://none/x.db", "--schema", "ok.sql"]);
    assert_eq!(said, "error: cannot connect to `none/x.db`\n  cause: unable to open database file\n");
}

#[test]
fn a_database_that_is_read_only() {
    let place = with_ok();
    place.run(&["apply", "--yes", "--url", "sqlite://x.db", "--schema", "ok.sql"]).ends(0);
    place.write("ok.sql", "CREATE TABLE a (id INTEGER PRIMARY KEY);\nCREATE TABLE b (id INTEGER PRIMARY KEY);\n");
    let said = place.fails(1, &["apply", "--yes", "--url", "sqlite://x.db?mode=ro", "--schema", "ok.sql"]);
    assert!(said.contains("readonly database"), "{said}");
    // planning writes nothing, so it may
    place.run(&["plan", "--url", "sqlite://x.db?mode=ro", "--schema", "ok.sql"]).ends(0);
}

#[test]
fn a_folder_that_is_read_only() {
    let place = with_ok();
    // nobody makes a file there, not even root
    let said = place.fails(1, &["apply", "--yes", "--url", "sqlite:///proc/trueup-test.db", "--schema", "ok.sql"]);
    assert!(said.contains("unable to open database file"), "{said}");
}

#[test]
fn no_database_at_all() {
    let said = with_ok().fails(1, &["plan", "--schema", "ok.sql"]);
    assert_eq!(said, "error: no database: pass --url URL, set DATABASE_URL, or write `url = \"…\"` into trueup.toml\n");
}

#[test]
fn replicas_that_cannot_be_waited_for() {
    let place = with_ok();
    let apply = ["apply", "--yes", "--url", "sqlite://new.db", "--schema", "ok.sql", "--replica"];
    for (replica, expected) in [
        ("nonsense", "error: the URL of a replica: not a database URL; a file of SQLite is written sqlite://file.db\n"),
        ("sqlite://other.db", "error: replicas cannot be waited for: a file has none\n"),
        (
            &format!("postgres://u:{CANARY}@host:99999/x"),
            "error: the URL of a replica: the database URL does not parse: invalid port number\n",
        ),
    ] {
        let said = place.run(&[&apply[..], &[replica]].concat()).ends(1);
        assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", expected));
    }
    place.write("trueup.toml", format!("replicas = [\"ftp://u:{CANARY}@host/x\"]\n"));
    let said = place.run(&apply[..6]).ends(1);
    assert!(said.stderr.starts_with("error: the URL of a replica: unknown database URL scheme"), "{}", said.stderr);
    assert!(!place.files().keys().any(|name| name.to_string_lossy().contains("db")), "{:?}", place.files().keys());
}
