//! What SHOW CREATE TABLE says and the catalog's rows do not, or not exactly.

use std::collections::{BTreeMap, BTreeSet};

use trueup_dialect::{Token, TokenKind, mysql};

/// The parts of a CREATE TABLE as the server printed it. Names are folded to lower case.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// Columns whose character set is written out.
    pub(crate) charsets: BTreeSet<String>,
    /// Defaults by column.
    pub(crate) defaults: BTreeMap<String, String>,
    /// Generation expressions by column, without the parentheses around them.
    pub(crate) generated: BTreeMap<String, String>,
    /// Conditions of checks that stand with a column, by column.
    pub(crate) column_checks: BTreeMap<String, String>,
    /// Conditions of checks by name.
    pub(crate) checks: BTreeMap<String, String>,
    /// Indexes by name; the primary key as `primary`.
    pub(crate) keys: BTreeMap<String, ShownKey>,
    /// Periods: name and the clause.
    pub(crate) periods: Vec<(String, String)>,
    /// What follows the parentheses: options, without partitions.
    pub(crate) options: String,
    /// What follows PARTITION BY, up to the list of partitions.
    pub(crate) partition_by: Option<String>,
    /// The partitions.
    pub(crate) partitions: Vec<String>,
}

/// An index as it was printed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ShownKey {
    /// Each part: an expression without the parentheses around it, where it is one.
    pub(crate) exprs: Vec<Option<String>>,
    /// The method, if it is written out.
    pub(crate) using: Option<String>,
    /// The period whose overlaps it refuses.
    pub(crate) without_overlaps: Option<String>,
    /// The parser of a full-text index.
    pub(crate) parser: Option<String>,
    /// Other options by name: `key_block_size`; `m`, `distance`… as they were written.
    pub(crate) options: trueup_schema::Parameters,
}

impl Shown {
    /// Reads the text that the server printed.
    pub(crate) fn read(list: &[Token]) -> Self {
        // Versions in comments are the server's own way to say it to others; to itself it is all code.
        let plain: Vec<Token> = list.iter().filter(|token| !is_mark(token)).cloned().collect();
        let mut shown = Self::default();
        let Some(open) = plain.iter().position(|token| token.text == "(") else { return shown };
        let Some(close) = closing(&plain, open) else { return shown };
        for item in split(&plain[open + 1..close]) {
            shown.item(item);
        }
        shown.rest(&plain[close + 1..]);
        shown
    }

    fn item(&mut self, item: &[Token]) {
        let Some(first) = item.first() else { return };
        if first.kind == TokenKind::QuotedName {
            self.column(&folded(first), &item[1..]);
        } else if first.is_word("CONSTRAINT") || first.is_word("CHECK") {
            self.check(item);
        } else if first.is_word("PERIOD") {
            let name = item.iter().filter(|token| token.is_solid()).nth(2).map(folded).unwrap_or_default();
            self.periods.push((name, join(item)));
        } else {
            self.key(item);
        }
    }

    fn column(&mut self, name: &str, item: &[Token]) {
        let mut at = 0;
        while at < item.len() {
            let token = &item[at];
            if token.text == "(" {
                at = closing(item, at).map_or(item.len(), |close| close + 1);
            } else if token.is_word("DEFAULT") {
                let end = default_end(item, at + 1);
                self.defaults.insert(name.to_owned(), join(&item[at + 1..end]));
                at = end;
            } else if token.is_word("CHARACTER") {
                self.charsets.insert(name.to_owned());
                at += 1;
            } else if token.is_word("AS") || token.is_word("CHECK") {
                let open = (at + 1..item.len()).find(|next| item[*next].is_solid());
                let inside = open.and_then(|open| inside(item, open));
                let (list, key) =
                    if token.is_word("AS") { (&mut self.generated, name) } else { (&mut self.column_checks, name) };
                if let Some((text, close)) = inside {
                    list.insert(key.to_owned(), text);
                    at = close + 1;
                } else {
                    at += 1;
                }
            } else {
                at += 1;
            }
        }
    }

    fn check(&mut self, item: &[Token]) {
        let Some(word) = item.iter().position(|token| token.is_word("CHECK")) else { return };
        let name = item[..word].iter().find(|token| token.kind == TokenKind::QuotedName).map(folded);
        let open = (word + 1..item.len()).find(|next| item[*next].is_solid());
        if let (Some(name), Some((text, _))) = (name, open.and_then(|open| inside(item, open))) {
            self.checks.insert(name, text);
        }
    }

    fn key(&mut self, item: &[Token]) {
        let Some(open) = item.iter().position(|token| token.text == "(") else { return };
        let name = item[..open].iter().find(|token| token.kind == TokenKind::QuotedName).map(folded);
        let Some(close) = closing(item, open) else { return };
        let mut key = ShownKey::default();
        for part in split(&item[open + 1..close]) {
            key.exprs.push(inside(part, 0).map(|(text, _)| text));
            if part.iter().any(|token| token.is_word("OVERLAPS")) {
                key.without_overlaps = part.first().and_then(Token::name);
            }
        }
        let solid: Vec<&Token> = item[close + 1..].iter().filter(|token| token.is_solid()).collect();
        for (at, token) in solid.iter().enumerate() {
            let value = || solid.get(at + 1).map(|next| if next.text == "=" { at + 2 } else { at + 1 });
            let plain = |token: &Token| mysql::unquoted(&token.text).or_else(|| token.name());
            let value =
                value().and_then(|at| solid.get(at)).map(|token| plain(token).unwrap_or_else(|| token.text.clone()));
            if token.is_word("PARSER") {
                key.parser = value;
            } else if token.is_word("USING") {
                key.using = value.map(|word| word.to_ascii_lowercase());
            } else if let (Some(value), true) = (value, solid.get(at + 1).is_some_and(|next| next.text == "=")) {
                let name = token.text.trim_matches('`');
                // The engine's own options keep the letters that they were written in.
                let is_ours = name.eq_ignore_ascii_case("key_block_size");
                key.options.insert(if is_ours { name.to_ascii_lowercase() } else { name.to_owned() }, value);
            }
        }
        self.keys.insert(name.unwrap_or_else(|| "primary".to_owned()), key);
    }

    fn rest(&mut self, rest: &[Token]) {
        let by = rest.windows(3).position(|three| three[0].is_word("PARTITION") && three[2].is_word("BY"));
        let Some(by) = by else {
            self.options = join(rest);
            return;
        };
        self.options = join(&rest[..by]);
        let scheme = &rest[by + 3..];
        let list = (0..scheme.len()).find(|at| {
            let next = scheme[at + 1..].iter().find(|token| token.is_solid());
            scheme[*at].text == "(" && next.is_some_and(|token| token.is_word("PARTITION"))
        });
        self.partition_by = Some(join(&scheme[..list.unwrap_or(scheme.len())]));
        if let Some((open, close)) = list.and_then(|open| Some((open, closing(scheme, open)?))) {
            self.partitions = split(&scheme[open + 1..close]).into_iter().map(join).collect();
        }
    }
}

fn is_mark(token: &Token) -> bool {
    token.kind == TokenKind::Symbol && (token.text.starts_with("/*") || token.text == "*/")
}

fn folded(token: &Token) -> String {
    token.name().unwrap_or_default().to_lowercase()
}

/// The tokens as text, blanks at the ends left out, blanks within as one.
pub(crate) fn join(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token.kind {
            TokenKind::Space if text.is_empty() || text.ends_with(' ') => {}
            TokenKind::Space => text.push(' '),
            TokenKind::Word
            | TokenKind::QuotedName
            | TokenKind::Text
            | TokenKind::Number
            | TokenKind::Parameter
            | TokenKind::Symbol
            | TokenKind::Comment => text.push_str(&token.text),
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Where the parenthesis at `open` is closed.
fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(at),
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// The text inside the parentheses that open at `open`, and where they close.
fn inside(tokens: &[Token], open: usize) -> Option<(String, usize)> {
    tokens.get(open).filter(|token| token.text == "(")?;
    let close = closing(tokens, open)?;
    Some((join(&tokens[open + 1..close]), close))
}

/// The items between commas outside of parentheses, without blanks at their beginning.
fn split(tokens: &[Token]) -> Vec<&[Token]> {
    let mut items = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                items.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    items.push(&tokens[from..]);
    let blanks = |item: &[Token]| item.iter().take_while(|token| !token.is_solid()).count();
    items.into_iter().map(|item| &item[blanks(item)..]).collect()
}

/// Words that can follow a default.
const AFTER_DEFAULT: [&str; 11] = [
    "ON",
    "COMMENT",
    "CHECK",
    "INVISIBLE",
    "VISIBLE",
    "AUTO_INCREMENT",
    "COLUMN_FORMAT",
    "STORAGE",
    "WITHOUT",
    "GENERATED",
    "SRID",
];

/// Where the default ends that begins at `from`.
fn default_end(item: &[Token], from: usize) -> usize {
    let mut depth = 0_usize;
    let mut seen = false;
    for (at, token) in item.iter().enumerate().skip(from) {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ if depth == 0 && seen && AFTER_DEFAULT.iter().any(|word| token.is_word(word)) => return at,
            _ => {}
        }
        seen |= token.is_solid();
    }
    item.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_found() {
        let text = "CREATE TABLE `t` (\n  `a` int NOT NULL DEFAULT '5' COMMENT 'x, (DEFAULT 7',\n  \
             `b` varchar(30) CHARACTER SET utf8mb4 DEFAULT (concat(_utf8mb4'it\\'s',`a`)),\n  \
             `c` datetime(3) DEFAULT current_timestamp(3) ON UPDATE current_timestamp(3) CHECK (`c` > 1),\n  \
             `g` int GENERATED ALWAYS AS ((`a` + 1)) STORED /*!80023 INVISIBLE */,\n  \
             PERIOD FOR `p` (`s`, `e`),\n  PRIMARY KEY (`a`),\n  \
             UNIQUE KEY `U` (`a`,`p` WITHOUT OVERLAPS),\n  \
             KEY `fx` ((lower(`b`)),`a` DESC) USING BTREE KEY_BLOCK_SIZE=4,\n  \
             FULLTEXT KEY `ft` (`b`) /*!50100 WITH PARSER `ngram` */ ,\n  VECTOR KEY `v` (`b`) `m`='8' `DISTANCE`='Cosine',\n  \
             CONSTRAINT `Ck` CHECK ((`a` > 0)) /*!80016 NOT ENFORCED */\n) ENGINE=InnoDB COMMENT='PARTITION BY'\n\
             /*!50100 PARTITION BY RANGE (year(`d`))\nSUBPARTITION BY HASH (`id`)\nSUBPARTITIONS 2\n\
             (PARTITION p0 VALUES LESS THAN (2000) ENGINE = InnoDB,\n PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB) */";
        let shown = Shown::read(&mysql::tokens(text));
        let list = |map: &BTreeMap<String, String>| {
            map.iter().map(|(name, text)| format!("{name}: {text}")).collect::<Vec<_>>().join("; ")
        };
        assert_eq!(list(&shown.defaults), "a: '5'; b: (concat(_utf8mb4'it\\'s',`a`)); c: current_timestamp(3)");
        assert_eq!(shown.charsets, ["b".to_owned()].into());
        assert_eq!(list(&shown.generated), "g: (`a` + 1)");
        assert_eq!(list(&shown.column_checks), "c: `c` > 1");
        assert_eq!(list(&shown.checks), "ck: (`a` > 0)");
        assert_eq!(shown.periods, [("p".to_owned(), "PERIOD FOR `p` (`s`, `e`)".to_owned())]);
        assert_eq!(shown.options, "ENGINE=InnoDB COMMENT='PARTITION BY'");
        assert_eq!(
            shown.partition_by.as_deref(),
            Some("RANGE (year(`d`)) SUBPARTITION BY HASH (`id`) SUBPARTITIONS 2")
        );
        assert_eq!(shown.partitions.len(), 2);
        assert_eq!(shown.partitions[1], "PARTITION p1 VALUES LESS THAN MAXVALUE ENGINE = InnoDB");
        assert_eq!(shown.keys["primary"].exprs, [None]);
        assert_eq!(shown.keys["u"].without_overlaps.as_deref(), Some("p"));
        assert_eq!(shown.keys["fx"].exprs, [Some("lower(`b`)".to_owned()), None]);
        assert_eq!(shown.keys["fx"].options["key_block_size"], "4");
        assert_eq!(shown.keys["fx"].using.as_deref(), Some("btree"));
        assert_eq!(shown.keys["u"].using, None);
        assert_eq!(shown.keys["ft"].parser.as_deref(), Some("ngram"));
        assert_eq!(shown.keys["v"].options["m"], "8");
        assert_eq!(shown.keys["v"].options["DISTANCE"], "Cosine");
    }
}
