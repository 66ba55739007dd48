use trueup_plan::{OpId, Pair};
use trueup_snapshot::Fingerprint;

use super::{Case, case};

fn declared(before: &str, after: &str) -> Case {
    let mut case = case(before, after);
    case.desired.elaborated = false;
    case
}

fn hex(text: &str) -> String {
    Fingerprint::of(text.as_bytes()).hex()
}

const LIVE: &str = "table t: a integer, check c ((a > 0))";
const DECLARED: &str = "table t: a integer, check c (a>0)";

#[test]
fn blanks_and_the_case_of_words_say_nothing() {
    let same = declared("view v: SELECT  1 from \"t\"", "view v: select 1 FROM t");
    assert!(same.found().is_empty());
    assert_eq!(
        declared("view v: select 'A'", "view v: select 'a'").found(),
        ["replace-view:v blocked(unverified-text)"]
    );
}

#[test]
fn literals_are_compared_without_a_server() {
    let changed = declared("table t: a text default 'x'", "table t: a text default 'y'");
    assert_eq!(changed.found(), ["set-default:t.a safe"]);
}

#[test]
fn what_only_the_server_could_tell_is_never_a_change() {
    let open = declared(LIVE, DECLARED);
    assert_eq!(open.found(), ["alter-constraint:t.c blocked(unverified-text)"]);
    let id = OpId("alter-constraint:t.c".to_owned());
    let accepted = declared(LIVE, DECLARED).option(|options| options.accept_text.extend([id.clone()]));
    assert!(accepted.found().is_empty());
    let pair = Pair { site: "check:t.c".to_owned(), declared: hex("a>0"), canonical: hex("(a > 0)"), major: 18 };
    assert_eq!(accepted.plan().accepted, [pair]);
    let rewritten = open.option(|options| options.rewrite_text.extend([id]));
    assert_eq!(rewritten.found(), ["drop-constraint:t.c safe", "add-constraint:t.c guarded"]);
}

#[test]
fn recorded_pairs_decide() {
    let with_pair = |declared_text: &str, canonical: &str, major| {
        let mut case = declared(LIVE, DECLARED);
        let site = "check:t.c".to_owned();
        let pair = Pair { site, declared: hex(declared_text), canonical: hex(canonical), major };
        case.live.facts.tracked.as_mut().unwrap().pairs.push(pair);
        case
    };
    let same = with_pair("a>0", "(a > 0)", 18);
    assert!(same.found().is_empty());
    assert_eq!(same.plan().notes.len(), 1);
    let changed = ["drop-constraint:t.c safe", "add-constraint:t.c guarded"];
    assert_eq!(with_pair("a>7", "(a > 0)", 18).found(), changed);
    assert_eq!(with_pair("a>0", "(a > 7)", 18).found(), changed);
    assert_eq!(with_pair("a>0", "(a > 0)", 17).found(), ["alter-constraint:t.c blocked(unverified-text)"]);
}
