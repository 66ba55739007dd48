//! Names of databases inside a statement.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::Token;
use trueup_dialect::mysql::{self, Quoting};
use trueup_schema::Ident;

/// What names of databases become.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Declared databases and their scratch databases.
    pub(super) scratch: BTreeMap<Ident, Ident>,
    /// What the declaration makes, by name in lower case: tells `database.table` from `alias.column`.
    pub(super) objects: BTreeSet<String>,
    /// Whether the server takes names of databases without regard to letter case.
    pub(super) ignores_case: bool,
}

/// Words that a table, view, routine or the like follows.
const BEFORE_RELATION: [&str; 14] = [
    "FROM",
    "JOIN",
    "UPDATE",
    "TABLE",
    "REFERENCES",
    "VIEW",
    "TRIGGER",
    "PROCEDURE",
    "FUNCTION",
    "EVENT",
    "SEQUENCE",
    "EXISTS",
    "CALL",
    "STRAIGHT_JOIN",
];

/// Words that end the list of tables that FROM or UPDATE begins.
const AFTER_RELATIONS: [&str; 11] =
    ["WHERE", "SET", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "ON", "USING", "SELECT", "WINDOW"];

impl Names {
    /// The scratch database of `name`.
    pub(super) fn scratch_of(&self, name: &str) -> Option<&Ident> {
        let same =
            |known: &&Ident| known.as_str() == name || self.ignores_case && known.as_str().eq_ignore_ascii_case(name);
        self.scratch.keys().find(same).and_then(|known| self.scratch.get(known))
    }

    /// The statement with scratch databases in place of declared ones.
    ///
    /// # Errors
    /// The name of a database that is not declared.
    pub(super) fn rewrite(&self, sql: &str, quoting: Quoting) -> Result<String, String> {
        let list = mysql::tokens_under(sql, quoting);
        let solid: Vec<usize> = (0..list.len()).filter(|at| is_solid(&list[*at])).collect();
        let mut new: BTreeMap<usize, String> = BTreeMap::new();
        let mut places = Places::new(&list, &solid);
        for at in 0..solid.len() {
            let is_relation = places.step(at);
            let Some(name) = self.database_at(&list, &solid, at, is_relation) else { continue };
            let scratch = self.scratch_of(&name).ok_or(name)?;
            new.insert(solid[at], format!("`{}`", scratch.as_str().replace('`', "``")));
        }
        let texts = list.iter().enumerate().map(|(at, token)| new.get(&at).map_or(token.text.as_str(), String::as_str));
        Ok(texts.collect())
    }

    /// The name of the database at this place, if it is one.
    fn database_at(&self, list: &[Token], solid: &[usize], at: usize, is_relation: bool) -> Option<String> {
        let token = |at: usize| solid.get(at).map(|at| &list[*at]);
        let is_dot = |at: usize| token(at).is_some_and(|token| token.text == ".");
        let name = token(at)?.name()?;
        if at > 0 && is_dot(at - 1) || !is_dot(at + 1) {
            return None;
        }
        let next = token(at + 2)?.name()?;
        let is_row = token(at).is_some_and(|token| token.is_word("NEW") || token.is_word("OLD"));
        if is_row {
            return None;
        }
        let is_call = token(at + 3).is_some_and(|token| token.text == "(");
        let known = self.scratch_of(&name).is_some() && self.objects.contains(&next.to_lowercase());
        (is_relation || is_call || is_dot(at + 3) || known).then_some(name)
    }
}

fn is_solid(token: &Token) -> bool {
    token.is_solid() && !token.text.starts_with("/*") && token.text != "*/"
}

/// Follows a statement and says where the name of a relation stands.
struct Places<'t> {
    list: &'t [Token],
    solid: &'t [usize],
    /// For each open parenthesis, and the outside: whether a list of relations goes on.
    lists: Vec<bool>,
    /// The statement makes something on a table, whose name follows the first ON.
    on_table: bool,
    /// The statement makes a table: LIKE another.
    makes_table: bool,
}

impl<'t> Places<'t> {
    fn new(list: &'t [Token], solid: &'t [usize]) -> Self {
        let head: Vec<&Token> = solid.iter().take(16).map(|at| &list[*at]).collect();
        let creates = head.first().is_some_and(|first| first.is_word("CREATE") || first.is_word("DROP"));
        let has = |word: &str| head.iter().any(|token| token.is_word(word));
        let on_table = creates && (has("INDEX") || has("TRIGGER"));
        Self { list, solid, lists: vec![false], on_table, makes_table: creates && has("TABLE") }
    }

    /// Whether the token at `at` is where a relation's name begins.
    fn step(&mut self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1).and_then(|at| self.solid.get(at)).map(|at| &self.list[*at]) else {
            return false;
        };
        let mut here = false;
        match before.text.as_str() {
            "(" => {
                let goes_on = self.lists.last().copied().unwrap_or_default();
                self.lists.push(goes_on);
                here = goes_on;
            }
            ")" if self.lists.len() > 1 => drop(self.lists.pop()),
            "," => here = self.lists.last().copied().unwrap_or_default(),
            _ => {}
        }
        let word = before.text.to_ascii_uppercase();
        if before.name().is_some() && before.text.chars().all(|c| c.is_ascii_alphabetic() || c == '_') {
            if BEFORE_RELATION.contains(&word.as_str()) || word == "INTO" && self.inserts(at) {
                here = true;
                if matches!(word.as_str(), "FROM" | "JOIN" | "UPDATE" | "TABLE") {
                    self.goes_on(true);
                }
            } else if word == "ON" && self.on_table {
                here = true;
                self.on_table = false;
            } else if word == "RENAME" || matches!(word.as_str(), "TO" | "AS") && self.renames(at) {
                here = true;
            } else if word == "LIKE" && self.makes_table {
                here = self.lists.len() <= 2;
            } else if AFTER_RELATIONS.contains(&word.as_str()) {
                self.goes_on(false);
            }
        }
        here
    }

    /// Whether the TO or AS before `at` follows RENAME.
    fn renames(&self, at: usize) -> bool {
        let word = at.checked_sub(2).and_then(|at| self.solid.get(at)).map(|at| &self.list[*at]);
        word.is_some_and(|word| word.is_word("RENAME"))
    }

    fn goes_on(&mut self, flag: bool) {
        if let Some(last) = self.lists.last_mut() {
            *last = flag;
        }
    }

    /// Whether the INTO before `at` says where rows go, and not which variables take values.
    fn inserts(&self, at: usize) -> bool {
        let word = at.checked_sub(2).and_then(|at| self.solid.get(at)).map(|at| &self.list[*at]);
        let inserting = ["INSERT", "REPLACE", "IGNORE", "DELAYED", "LOW_PRIORITY", "HIGH_PRIORITY"];
        word.is_some_and(|word| inserting.iter().any(|each| word.is_word(each)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let ident = |text: &str| Ident::new(text).unwrap();
        Names {
            scratch: BTreeMap::from([(ident("shop"), ident("s1")), (ident("log"), ident("s2"))]),
            objects: ["t", "u"].map(str::to_owned).into(),
            ignores_case: false,
        }
    }

    #[test]
    fn declared_databases_become_scratch_databases() {
        let names = names();
        for (sql, expected) in [
            ("create table shop.x (a int)", "create table `s1`.x (a int)"),
            (
                "create view `shop`.`v` as select t.a, shop.t.b from shop.t join log . u on t.id = u.id",
                "create view `s1`.`v` as select t.a, `s1`.t.b from `s1`.t join `s2` . u on t.id = u.id",
            ),
            ("create view v as select shop.a from x shop", "create view v as select shop.a from x shop"),
            (
                "create view v as select * from x, shop.t where x.a = shop.t.a",
                "create view v as select * from x, `s1`.t where x.a = `s1`.t.a",
            ),
            (
                "create trigger shop.g before insert on shop.t for each row set new.a = shop.f(new.b), new.c = 'shop.t'",
                "create trigger `s1`.g before insert on `s1`.t for each row set new.a = `s1`.f(new.b), new.c = 'shop.t'",
            ),
            (
                "create procedure p() begin declare a int; select b into new.c from t; insert into log.u values (1); end",
                "create procedure p() begin declare a int; select b into new.c from t; insert into `s2`.u values (1); end",
            ),
            (
                "create table t (a int references shop.u (id), b varchar(5) check (b like t.c))",
                "create table t (a int references `s1`.u (id), b varchar(5) check (b like t.c))",
            ),
            ("create table t like shop.u", "create table t like `s1`.u"),
            (
                "alter table t add constraint foreign key (a) references u (a) on update cascade on delete set null",
                "alter table t add constraint foreign key (a) references u (a) on update cascade on delete set null",
            ),
        ] {
            assert_eq!(names.rewrite(sql, Quoting::default()).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn other_databases_are_refused() {
        let names = names();
        for sql in [
            "create table prod.t (a int)",
            "create view v as select a from t, prod.t",
            "create view v as select prod.f()",
            "create view v as select prod.t.a from t",
            "create trigger g after insert on t for each row delete from prod.t",
            "create trigger g after insert on prod.t for each row set @a = 1",
            "create event e on schedule every 1 day do update prod.t set a = 1",
            "create event e on schedule every 1 day do call prod.p()",
            "create table t like prod.u",
            "create table t (a int references prod.u (id))",
            "alter table t rename to prod.u",
            "set @a = prod.f(), sql_mode = ''",
            "create table t select * from (prod.u)",
        ] {
            assert_eq!(names.rewrite(sql, Quoting::default()), Err("prod".to_owned()), "{sql}");
        }
    }

    #[test]
    fn names_in_double_quotes_are_names_where_the_mode_says_so() {
        let names = names();
        let ansi = Quoting::of("ANSI_QUOTES");
        let rewrite = |sql: &str| names.rewrite(sql, ansi);
        assert_eq!(rewrite(r#"create table "shop"."x" (a int)"#).as_deref(), Ok(r#"create table `s1`."x" (a int)"#));
        assert_eq!(rewrite(r#"create table "prod"."x" (a int)"#), Err("prod".to_owned()));
        assert_eq!(
            names.rewrite(r"create view v as select '\' from prod.t, 'x'", Quoting::ALL[2]),
            Err("prod".to_owned())
        );
    }
}
