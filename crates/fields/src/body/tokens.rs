//! Tokens of a text that should be JSON, but may be damaged.

use memchr::memchr2;

/// The byte order mark that some programs put before UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: TokenKind,
    pub text: &'a [u8],
    pub at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    Open,
    Close,
    Comma,
    Colon,
    /// A string in double or single quotes, possibly unclosed.
    Text {
        is_closed: bool,
    },
    /// Any other text up to white space, a quote or a sign above: `1`, `null`, `NaN`.
    Word,
}

#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Tokens<'a> {
    pub const fn from(text: &'a [u8], at: usize) -> Self {
        Self { text, at }
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let rest = self.text.get(self.at..)?;
        let rest = rest.trim_ascii_start();
        let at = self.text.len() - rest.len();
        let (kind, length) = match rest.first()? {
            b'{' | b'[' => (TokenKind::Open, 1),
            b'}' | b']' => (TokenKind::Close, 1),
            b',' => (TokenKind::Comma, 1),
            b':' => (TokenKind::Colon, 1),
            quote @ (b'"' | b'\'') => match quoted(rest, *quote) {
                Some(length) => (TokenKind::Text { is_closed: true }, length),
                None => (TokenKind::Text { is_closed: false }, rest.len()),
            },
            _ => {
                let end = rest.iter().position(|byte| ends_word(*byte));
                (TokenKind::Word, end.unwrap_or(rest.len()))
            }
        };
        self.at = at + length;
        let text = &rest[..length];
        Some(Token { kind, text, at })
    }
}

const fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"' | b'\'')
}

fn quoted(text: &[u8], quote: u8) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr2(quote, b'\\', text.get(at..)?)?;
        if text.get(at) == Some(&quote) {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// The nesting at a place in a text that should be JSON, in constant memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nesting {
    depth: usize,
    quote: Option<u8>,
    is_escaped: bool,
}

impl Nesting {
    pub const fn pass(&mut self, byte: u8) {
        match (self.quote, byte) {
            (Some(_), _) if self.is_escaped => self.is_escaped = false,
            (Some(_), b'\\') => self.is_escaped = true,
            (Some(quote), _) if quote == byte => self.quote = None,
            (None, b'"' | b'\'') => self.quote = Some(byte),
            (None, b'{' | b'[') => self.depth += 1,
            (None, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Passes a line end, which ends any string.
    pub const fn pass_line_end(&mut self) {
        (self.quote, self.is_escaped) = (None, false);
    }

    pub const fn is_in_string(&self) -> bool {
        self.quote.is_some()
    }

    pub const fn is_outside(&self) -> bool {
        self.depth == 0 && self.quote.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_recognised_in_json_and_in_other_text() {
        let text = br#" {"a\"":-1.5e3,'b':[NaN,None],x:"y"z"#;
        let tokens = Tokens::from(text, 0);
        let shown: Vec<_> = tokens
            .map(|token| String::from_utf8_lossy(token.text))
            .collect();
        let expect = [
            "{", r#""a\"""#, ":", "-1.5e3", ",", "'b'", ":", "[", "NaN", ",", "None", "]", ",",
            "x", ":", r#""y""#, "z",
        ];
        assert_eq!(shown, expect);
        for (text, is_closed) in [("\"a", false), ("\"a\\\"", false), ("\"a\\\\\"", true)] {
            let token = Tokens::from(text.as_bytes(), 0).next().unwrap();
            assert_eq!(token.kind, TokenKind::Text { is_closed }, "{text}");
            assert_eq!(token.text, text.as_bytes());
        }
        assert_eq!(Tokens::from(b"", 0).next(), None);
        assert_eq!(Tokens::from(b"{}", 9).next(), None);
    }

    #[test]
    fn the_nesting_is_known_at_each_byte() {
        let text = br#"{"a\"}":['}']}x"#;
        let mut nesting = Nesting::default();
        let outside = text.map(|byte| {
            nesting.pass(byte);
            nesting.is_outside()
        });
        let first = outside.iter().position(|is_outside| *is_outside);
        assert_eq!(first, Some(text.len() - 2));
    }
}
