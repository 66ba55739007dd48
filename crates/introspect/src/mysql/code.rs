//! Views, triggers, routines and events.
//!
//! The heads of triggers and events are put together from the catalog's rows, so that they are spelled one way; their bodies are those of
//! SHOW CREATE, because the catalog's rows hold them without charset introducers and with quotes and rare characters mangled. Views and
//! routines are what SHOW CREATE prints, their heads read off. The account that is connected now is left out as definer, wherever it is:
//! whoever makes such an object again is its definer without saying so.

use trueup_dialect::mysql::{self, Quoting};
use trueup_dialect::{Token, TokenKind};
use trueup_schema::{
    Ident, Opaque, OpaqueId, PartId, QualName, Routine, RoutineId, RoutineKind, SqlExpr, Trigger, View,
};

use super::catalog::CodeRow;
use super::shown::join;

/// `root@localhost` as an account in SQL.
fn account(text: &str) -> String {
    let (user, host) = text.rsplit_once('@').unwrap_or((text, ""));
    let quote = |name: &str| format!("`{}`", name.replace('`', "``"));
    if host.is_empty() { quote(user) } else { format!("{}@{}", quote(user), quote(host)) }
}

/// `DEFINER=… ` for a definer who is not the connected account.
fn definer(of: &str, connected: &str) -> String {
    if of == connected { String::new() } else { format!("DEFINER={} ", account(of)) }
}

/// Whether the catalog's row can be trusted to hold the text as it was written.
pub(super) fn is_plain(text: &str) -> bool {
    text.is_ascii() && !text.contains(['\'', '"', '\\', '?'])
}

fn settings(row: &CodeRow) -> trueup_schema::Parameters {
    trueup_schema::Parameters::from([("sql_mode".to_owned(), row.text(2).to_owned())])
}

/// How the text of an object is read: under the mode that it was made with.
pub(super) fn quoting(row: &CodeRow) -> Quoting {
    Quoting::of(row.text(2))
}

/// Tokens from the one behind the first word `after` on.
fn behind<'t>(list: &'t [Token], after: &[&str]) -> Option<&'t [Token]> {
    let solid: Vec<usize> = (0..list.len()).filter(|at| list[*at].is_solid()).collect();
    let is_at = |from: usize| {
        after.iter().enumerate().all(|(n, word)| solid.get(from + n).is_some_and(|at| list[*at].is_word(word)))
    };
    let from = (0..solid.len()).find(|from| is_at(*from))?;
    solid.get(from + after.len()).map(|at| &list[*at..])
}

fn verbatim(list: &[Token]) -> String {
    let text: String = list.iter().map(|token| token.text.as_str()).collect();
    text.trim_end().trim_end_matches(';').trim_end().to_owned()
}

/// The body of an event in what SHOW CREATE printed.
pub(super) fn event_body(shown: &str, quoting: Quoting) -> Option<String> {
    let list = mysql::tokens_under(shown, quoting);
    behind(&list, &["DO"]).map(verbatim)
}

/// A trigger, from what SHOW CREATE printed: the text that it was made with, which the server keeps. Triggers of one table, time and
/// event run in an order: each but the first says which it follows.
pub(super) fn trigger(row: &CodeRow, shown: &str, follows: Option<&Ident>, connected: &str) -> Option<Trigger> {
    let table = Ident::new(row.text(3)).ok()?;
    let list = mysql::tokens_under(shown, quoting(row));
    let (head, body) = trigger_text(&list, &row.database)?;
    let order =
        follows.map(|name| format!("FOLLOWS {} ", name.quoted(trueup_schema::DialectId::MySql))).unwrap_or_default();
    // Servers keep the word as it was written.
    let word = &list.iter().find(|token| token.is_word("TRIGGER"))?.text;
    let text = format!("CREATE {}{word} {head}{order}{body}", definer(row.text(1), connected));
    Some(Trigger {
        id: PartId { table: QualName::new(Some(row.database.clone()), table), name: row.name.clone() },
        definition: SqlExpr::new(text),
        enabled: "origin".to_owned(),
        settings: settings(row),
        comment: None,
        depends_on: Vec::new(),
        source: None,
    })
}

/// A trigger's text from its name to its body, and the body. The name of its database and its place among others are left out.
fn trigger_text(list: &[Token], database: &Ident) -> Option<(String, String)> {
    let word = list.iter().position(|token| token.is_word("TRIGGER"))?;
    let mut solid: Vec<usize> = (word + 1..list.len()).filter(|at| list[*at].is_solid()).collect();
    let is_at = |solid: &[usize], from: usize, words: &[&str]| {
        words.iter().enumerate().all(|(n, word)| solid.get(from + n).is_some_and(|at| list[*at].is_word(word)))
    };
    if is_at(&solid, 0, &["IF", "NOT", "EXISTS"]) {
        solid.drain(..3);
    }
    let is_ours = list[*solid.first()?].name().is_some_and(|name| name == database.as_str());
    if is_ours && solid.get(1).is_some_and(|at| list[*at].text == ".") {
        solid.drain(..2);
    }
    let each = (0..solid.len()).find(|from| is_at(&solid, *from, &["FOR", "EACH", "ROW"]))?;
    let row = *solid.get(each + 2)?;
    let ordered = is_at(&solid, each + 3, &["FOLLOWS"]) || is_at(&solid, each + 3, &["PRECEDES"]);
    let body = *solid.get(each + if ordered { 5 } else { 3 })?;
    let text = |list: &[Token]| list.iter().map(|token| token.text.as_str()).collect::<String>();
    let blank = list[row + 1..].iter().take_while(|token| !token.is_solid()).count();
    Some((text(&list[*solid.first()?..row + 1 + blank]), verbatim(&list[body..])))
}

/// An event, with the mode and time zone that it runs under.
pub(super) fn event(row: &CodeRow, body: &str, connected: &str, utc: bool) -> Opaque {
    let name = row.name.quoted(trueup_schema::DialectId::MySql);
    // One without a beginning begins when it is made.
    let starts = if row.text(5) == row.text(7) { "" } else { row.text(5) };
    let bound = |word: &str, moment: &str| {
        if moment.is_empty() { String::new() } else { format!(" {word} '{moment}'") }
    };
    let schedule = format!("{}{}{}", row.text(4), bound("STARTS", starts), bound("ENDS", row.text(6)));
    let status = match row.text(8) {
        "ENABLED" => "ENABLE",
        "DISABLED" => "DISABLE",
        _ => "DISABLE ON SLAVE",
    };
    let comment = match row.text(10) {
        "" => String::new(),
        // The statement is read under the event's own mode.
        text if quoting(row).no_backslash_escapes => format!(" COMMENT '{}'", text.replace('\'', "''")),
        text => format!(" COMMENT {}", mysql::quoted(text)),
    };
    let create = format!(
        "CREATE {}EVENT {name} ON SCHEDULE {schedule} ON COMPLETION {} {status}{comment} DO {body}",
        definer(row.text(1), connected),
        row.text(9),
    );
    let zone = if utc && row.text(3) == "SYSTEM" { "+00:00" } else { row.text(3) };
    let under = format!("SET SESSION sql_mode = '{}', SESSION time_zone = {}", row.text(2), mysql::quoted(zone));
    let statements = [
        "SET @trueup_sql_mode = @@SESSION.sql_mode, @trueup_time_zone = @@SESSION.time_zone",
        under.as_str(),
        create.as_str(),
        "SET SESSION sql_mode = @trueup_sql_mode, SESSION time_zone = @trueup_time_zone",
    ];
    Opaque {
        id: OpaqueId {
            kind: "event".to_owned(),
            namespace: Some(row.database.clone()),
            table: None,
            name: row.name.as_str().to_owned(),
        },
        create: statements.map(SqlExpr::new).to_vec(),
        drop: SqlExpr::new(format!("DROP EVENT {name}")),
        comment_target: None,
        parts: Vec::new(),
        roles: Vec::new(),
        common: trueup_schema::Common::default(),
    }
}

/// A routine, from what SHOW CREATE printed. `None` for a kind that is not modelled.
pub(super) fn routine(row: &CodeRow, shown: &str, connected: &str) -> Option<Routine> {
    let kind = match row.kind.as_str() {
        "FUNCTION" => RoutineKind::Function,
        "PROCEDURE" => RoutineKind::Procedure,
        _ => return None,
    };
    let list = mysql::tokens_under(shown, quoting(row));
    let word = list.iter().position(|token| token.is_word(&row.kind))?;
    let is_aggregate = list[..word].iter().any(|token| token.is_word("AGGREGATE"));
    let after = &list[word + 1..];
    let open = after.iter().position(|token| token.text == "(")?;
    let signature = signature(&after[open..]);
    let head = if is_aggregate { "AGGREGATE " } else { "" };
    let text = format!(
        "CREATE {}{head}{} {}{}",
        definer(row.text(1), connected),
        row.kind,
        row.name.quoted(trueup_schema::DialectId::MySql),
        verbatim(&after[open..])
    );
    Some(Routine {
        id: RoutineId { name: QualName::new(Some(row.database.clone()), row.name.clone()), arguments: String::new() },
        kind: if is_aggregate { RoutineKind::Aggregate } else { kind },
        definition: SqlExpr::new(text),
        signature,
        tracked: false,
        settings: settings(row),
        common: trueup_schema::Common::default(),
    })
}

/// Arguments and return type: up to the end of the line on which the server prints them.
fn signature(list: &[Token]) -> String {
    let mut depth = 0_usize;
    let mut end = list.len();
    for (at, token) in list.iter().enumerate() {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ if depth == 0 && token.kind == TokenKind::Space && token.text.contains('\n') => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    join(&list[..end])
}

/// Whether what SHOW CREATE VIEW prints is a view of JSON documents that write through to tables (MySQL 9.4).
pub(super) fn is_duality_view(shown: &str) -> bool {
    mysql::tokens(shown).iter().take_while(|token| !token.is_word("VIEW")).any(|token| token.is_word("DUALITY"))
}

/// A view, from what SHOW CREATE printed.
pub(super) fn view(name: QualName, shown: &str, connected: &str) -> Option<View> {
    let list = mysql::tokens(shown);
    let word = list.iter().position(|token| token.is_word("VIEW"))?;
    let query = word + list[word..].iter().position(|token| token.is_word("AS"))?;
    let mut view = View::new(name, SqlExpr::new(""));
    let mut put = |name: &str, value: &str| drop(view.options.insert(name.to_owned(), value.to_owned()));
    let head: Vec<&Token> = list[..word].iter().filter(|token| token.is_solid()).collect();
    for (at, token) in head.iter().enumerate() {
        let value = |skip: usize| head.get(at + skip).map(|token| token.text.as_str()).unwrap_or_default();
        if token.is_word("ALGORITHM") && !value(2).eq_ignore_ascii_case("UNDEFINED") {
            put("algorithm", &value(2).to_ascii_lowercase());
        } else if token.is_word("SECURITY") && !value(1).eq_ignore_ascii_case("DEFINER") {
            put("sql_security", &value(1).to_ascii_lowercase());
        } else if token.is_word("DEFINER") && value(1) == "=" {
            let host = if value(3).starts_with('@') { value(3) } else { "" };
            let text = format!("{}{host}", value(2));
            if text != account(connected) {
                put("definer", &text);
            }
        }
    }
    let mut text = verbatim(list.get(query + 1..)?);
    for (tail, value) in [(" WITH CASCADED CHECK OPTION", "cascaded"), (" WITH LOCAL CHECK OPTION", "local")] {
        if let Some(rest) = text.strip_suffix(tail) {
            text = rest.to_owned();
            put("check_option", value);
        }
    }
    view.query = SqlExpr::new(text.trim());
    Some(view)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> QualName {
        QualName::parse(text).unwrap()
    }

    #[test]
    fn a_view_is_read_from_its_head_to_its_tail() {
        let shown = "CREATE ALGORITHM=MERGE DEFINER=`root`@`%` SQL SECURITY INVOKER VIEW `s`.`v` (`a`,`b`) AS select 1 AS `a`,2 AS `b` WITH LOCAL CHECK OPTION";
        let view = view(name("s.v"), shown, "app@%").unwrap();
        assert_eq!(view.query.as_str(), "select 1 AS `a`,2 AS `b`");
        let options: Vec<String> = view.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(options, ["algorithm=merge", "definer=`root`@`%`", "sql_security=invoker", "check_option=local"]);
        let own = super::view(
            name("s.v"),
            "CREATE ALGORITHM=UNDEFINED DEFINER=`a`@`b` SQL SECURITY DEFINER VIEW `v` AS select 1",
            "a@b",
        );
        assert!(own.unwrap().options.is_empty());
    }

    #[test]
    fn bodies_are_found_behind_any_head() {
        let read = |shown: &str| trigger_text(&mysql::tokens(shown), &Ident::new("shop").unwrap());
        let whole = |head: &str, body: &str| Some((head.to_owned(), body.to_owned()));
        let shown = "CREATE DEFINER=`a`@`b` trigger t before insert on p for each row follows u begin -- x\n set new.k = 1; end";
        assert_eq!(read(shown), whole("t before insert on p for each row ", "begin -- x\n set new.k = 1; end"));
        assert_eq!(
            read("CREATE TRIGGER IF NOT EXISTS `shop`.`t` BEFORE INSERT ON p FOR EACH ROW\nset @a = 1;"),
            whole("`t` BEFORE INSERT ON p FOR EACH ROW\n", "set @a = 1")
        );
        let shown = "CREATE EVENT `do` ON SCHEDULE EVERY 1 DAY COMMENT 'DO it' DO delete from p";
        assert_eq!(event_body(shown, Quoting::default()).as_deref(), Some("delete from p"));
    }

    #[test]
    fn accounts_are_quoted() {
        assert_eq!(account("root@%"), "`root`@`%`");
        assert_eq!(account("a@b@c"), "`a@b`@`c`");
        assert_eq!(definer("a@b", "a@b"), "");
    }
}
