//! Events run by themselves: in a dev database they are off, and read back as if they were what was declared.

use std::collections::BTreeMap;

use trueup_dialect::Token;
use trueup_dialect::mysql::{self, Quoting};
use trueup_schema::{OpaqueId, Schema, SqlExpr};

/// A CREATE EVENT with its event off, and whether it was to be on. `None` for any other statement.
pub(super) fn disabled(sql: &str, quoting: Quoting) -> Option<(String, bool)> {
    let list = mysql::tokens_under(sql, quoting);
    let solid: Vec<usize> = (0..list.len()).filter(|at| is_solid(&list[*at])).collect();
    let word = |at: usize, word: &str| solid.get(at).is_some_and(|at| list[*at].is_word(word));
    let others = ["TABLE", "VIEW", "TRIGGER", "PROCEDURE", "FUNCTION", "INDEX", "SEQUENCE", "DATABASE"];
    let is_kind = |at: &usize| word(*at, "EVENT") || others.iter().any(|other| word(*at, other));
    let event = (1..solid.len().min(12)).find(is_kind).filter(|at| word(*at, "EVENT"))?;
    if !(word(0, "CREATE") || word(0, "ALTER")) {
        return None;
    }
    let schedule = (event..solid.len()).find(|at| word(*at, "SCHEDULE")).unwrap_or(event);
    let end = (schedule..solid.len()).find(|at| word(*at, "DO")).unwrap_or(solid.len());
    let says = |state: &str| (schedule..end).find(|at| word(*at, state));
    let text = |range: &[Token]| range.iter().map(|token| token.text.as_str()).collect::<String>();
    if says("DISABLE").is_some() {
        return Some((sql.to_owned(), false));
    }
    if let Some(at) = says("ENABLE") {
        let at = solid[at];
        return Some((format!("{}DISABLE{}", text(&list[..at]), text(&list[at + 1..])), true));
    }
    if word(0, "ALTER") {
        return Some((sql.to_owned(), false));
    }
    let before = says("COMMENT").unwrap_or(end);
    let at = solid.get(before).copied().unwrap_or(list.len());
    Some((format!("{}DISABLE {}", text(&list[..at]), text(&list[at..])), true))
}

fn is_solid(token: &Token) -> bool {
    token.is_solid() && !token.text.starts_with("/*") && token.text != "*/"
}

/// The name of the event that a CREATE EVENT or ALTER EVENT is about, in lower case.
pub(super) fn name(sql: &str, quoting: Quoting) -> Option<String> {
    let list: Vec<Token> = mysql::tokens_under(sql, quoting).into_iter().filter(is_solid).collect();
    let event = list.iter().position(|token| token.is_word("EVENT"))?;
    let mut rest =
        list[event + 1..].iter().filter(|token| !["IF", "NOT", "EXISTS"].iter().any(|word| token.is_word(word)));
    let mut name = rest.next()?;
    if rest.next().is_some_and(|token| token.text == ".") {
        name = rest.next()?;
    }
    name.name().map(|name| name.to_lowercase())
}

/// Says of events that were to be on that they are.
pub(super) fn enable(schema: &mut Schema, on: &BTreeMap<String, bool>) {
    let is_on = |id: &OpaqueId| id.kind == "event" && on.get(&id.name.to_lowercase()).copied().unwrap_or_default();
    for object in schema.objects.values_mut().filter(|object| is_on(&object.id)) {
        for text in &mut object.create {
            if let Some(enabled) = enabled(text.as_str()) {
                *text = SqlExpr::new(enabled);
            }
        }
    }
}

/// The statement with its event on. Only what stands before the body is looked at.
fn enabled(sql: &str) -> Option<String> {
    let list = mysql::tokens(sql);
    let place = list.iter().position(|token| token.is_word("SCHEDULE"))?;
    let at = place + list[place..].iter().position(|token| token.is_word("DISABLE"))?;
    let end = place + list[place..].iter().position(|token| token.is_word("DO"))?;
    let text = |range: &[Token]| range.iter().map(|token| token.text.as_str()).collect::<String>();
    (at < end).then(|| format!("{}ENABLE{}", text(&list[..at]), text(&list[at + 1..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_made_off_and_read_as_on() {
        for (sql, off, on) in [
            (
                "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t",
                "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DISABLE DO DELETE FROM t",
                true,
            ),
            (
                "create event e on schedule every 1 day enable comment 'x' do begin do sleep(1); end",
                "create event e on schedule every 1 day DISABLE comment 'x' do begin do sleep(1); end",
                true,
            ),
            (
                "create event e on schedule every 1 day comment 'disable' do select 1",
                "create event e on schedule every 1 day DISABLE comment 'disable' do select 1",
                true,
            ),
            (
                "create event e on schedule every 1 day disable do select 1",
                "create event e on schedule every 1 day disable do select 1",
                false,
            ),
        ] {
            assert_eq!(disabled(sql, Quoting::default()), Some((off.to_owned(), on)), "{sql}");
        }
        assert_eq!(disabled("create table event (do int)", Quoting::default()), None);
        assert_eq!(
            name("create definer=`a`@`b` event if not exists `d`.`E`", Quoting::default()).as_deref(),
            Some("e")
        );
        assert_eq!(
            enabled("CREATE EVENT `e` ON SCHEDULE EVERY 1 DAY ON COMPLETION NOT PRESERVE DISABLE DO select 1")
                .as_deref(),
            Some("CREATE EVENT `e` ON SCHEDULE EVERY 1 DAY ON COMPLETION NOT PRESERVE ENABLE DO select 1")
        );
    }
}
