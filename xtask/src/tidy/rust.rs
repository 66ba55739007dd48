//! Reading Rust just well enough to count: where comments, texts and test modules are.

/// The text with comments and the inside of literals blanked out; every line and every column stays where it is.
pub(crate) fn code(text: &str) -> String {
    let mut reader = Reader { rest: text, code: String::with_capacity(text.len()) };
    while let Some(next) = reader.rest.chars().next() {
        if reader.rest.starts_with("//") {
            reader.blank(reader.rest.find('\n').unwrap_or(reader.rest.len()));
        } else if reader.rest.starts_with("/*") {
            reader.blank(block_comment(reader.rest));
        } else if let Some(length) = raw_string(reader.rest) {
            reader.literal(length);
        } else if next == '"' {
            reader.literal(quoted(reader.rest, '"'));
        } else if let Some(length) = character(reader.rest) {
            reader.literal(length);
        } else if next.is_alphanumeric() || next == '_' {
            // Whole words, so that the `r` of a raw string is not found inside one.
            let end = reader.rest.find(|c: char| !c.is_alphanumeric() && c != '_');
            reader.keep(end.unwrap_or(reader.rest.len()));
        } else {
            reader.keep(next.len_utf8());
        }
    }
    reader.code
}

/// [`code`] up to the test module at the end, if there is one.
pub(crate) fn code_without_tests(text: &str) -> String {
    let mut code = code(text);
    if let Some(at) = code.find("\n#[cfg(test)]\nmod ") {
        code.truncate(at + 1);
    }
    code
}

struct Reader<'a> {
    rest: &'a str,
    code: String,
}

impl Reader<'_> {
    fn keep(&mut self, length: usize) {
        let (head, rest) = self.rest.split_at(length);
        self.code.push_str(head);
        self.rest = rest;
    }

    fn blank(&mut self, length: usize) {
        let (head, rest) = self.rest.split_at(length);
        self.code.extend(head.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }

    /// A literal of one word of quotes, so that nothing inside counts as code.
    fn literal(&mut self, length: usize) {
        self.blank(length);
        if self.code.ends_with(' ') {
            self.code.pop();
            self.code.push('"');
        }
    }
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of `r"…"`, `r#"…"#`, `br"…"` or `cr"…"` at the start.
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix("br").or_else(|| text.strip_prefix("cr")).or_else(|| text.strip_prefix('r'))?;
    let hashes = after.find(|c| c != '#')?;
    let body = after.get(hashes..)?.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - body.len();
    Some(body.find(&end).map_or(text.len(), |at| start + at + end.len()))
}

/// The length of a literal that starts with `quote`, escapes included.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a character literal at the start; a lifetime is none.
fn character(text: &str) -> Option<usize> {
    let mut chars = text.strip_prefix('\'')?.chars();
    let first = chars.next()?;
    (first == '\\' || chars.next() == Some('\'')).then(|| quoted(text, '\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        let text = "let a = \"{ // \\\" }\"; // fn x() {\nlet b = r#\"}\"\"#; /* { /* } */ */ let c = '{'; fn f<'a>(x: &'a str) {}\n";
        let code = code(text);
        assert_eq!(code.matches(['{', '}']).count(), 2, "{code}");
        assert_eq!(code.lines().count(), text.lines().count());
        assert!(code.contains("fn f<'a>(x: &'a str) {}"));
    }

    #[test]
    fn words_that_end_in_r_start_no_raw_string() {
        assert_eq!(code("for_r\"a\"; x"), "for_r  \"; x");
    }

    #[test]
    fn the_test_module_is_cut_off() {
        assert_eq!(code_without_tests("fn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n"), "fn a() {}\n\n");
    }
}
