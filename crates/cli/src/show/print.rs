//! Writing to standard output and standard error.

use std::io::Write;

/// Prints a result for a person: what a name of a table may hold cannot steer the terminal.
pub(crate) fn print_text(text: &str) -> std::io::Result<()> {
    print(&harmless(text))
}

/// Prints a result for a program on standard output, byte for byte. A closed pipe ends quietly.
pub(crate) fn print(text: &str) -> std::io::Result<()> {
    let mut out = anstream::stdout().lock();
    let whole = text.is_empty() || text.ends_with('\n');
    let written = out.write_all(text.as_bytes()).and_then(|()| if whole { Ok(()) } else { out.write_all(b"\n") });
    match written.and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Says something to the person, on standard error.
pub(crate) fn say(text: &str) {
    // there is nobody left to tell when standard error is gone
    writeln!(anstream::stderr().lock(), "{}", harmless(text)).ok();
}

/// `text` with every control character spelled out, but for line ends, tabs and our own colours.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let colour = colour_at(rest);
        let length = if colour > 0 { colour } else { c.len_utf8() };
        let (part, after) = rest.split_at(length);
        if colour > 0 || !c.is_control() || matches!(c, '\n' | '\t') {
            out.push_str(part);
        } else {
            out.extend(c.escape_default());
        }
        rest = after;
    }
    out
}

/// Length of the colour sequence that `text` begins with, or 0.
fn colour_at(text: &str) -> usize {
    let Some(body) = text.strip_prefix("\u{1b}[") else { return 0 };
    let digits = body.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(body.len());
    if body[digits..].starts_with('m') { digits + 3 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_reach_the_terminal() {
        assert_eq!(harmless("a\u{1b}[1;31mb\u{1b}[0m\tc\n"), "a\u{1b}[1;31mb\u{1b}[0m\tc\n");
        assert_eq!(harmless("a\u{1b}[2Jb\u{1b}]0;x\u{7}\0\r"), "a\\u{1b}[2Jb\\u{1b}]0;x\\u{7}\\u{0}\\r");
    }
}
