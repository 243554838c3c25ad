//! The postings that a line names, whatever else is wrong with it.
//!
//! A catalogue expires the postings that no line names. So a line that cannot be read must still
//! name its posting. If the posting of a damaged line is not certain, [`Names`] has every
//! identifier that the line may name, and says that there may be others.

use fields::body::{BYTE_ORDER_MARK, Token, TokenKind, Tokens};
use kernel::SourceIdentifier;

/// The postings that a line names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The identifier of the line, as it was sent; a number counts as its digits.
    pub id: Option<String>,
    /// Further identifiers in a damaged line, which may be those of other lines.
    others: Vec<String>,
    /// Whether the line may be about a posting that is none of these.
    has_unknown: bool,
}

impl Names {
    /// The names of a line that was read.
    pub const fn of(id: String) -> Self {
        Self {
            id: Some(id),
            others: Vec::new(),
            has_unknown: false,
        }
    }

    /// Reads the names of a line that is refused, or of its beginning.
    pub fn read(line: &[u8]) -> Self {
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let mut object = Object::new(line, 0);
        let mut end = object.read();
        let mut names = Self::default();
        let mut ids = object.ids.into_iter();
        names.id = ids.next();
        names.others.extend(ids);
        names.has_unknown = names.id.is_none() || object.has_unread;
        while let End::Complete(at) = end {
            let Some(next) = Tokens::from(line, at).find(|token| token.text == b"{") else {
                return names;
            };
            let mut object = Object::new(line, next.at);
            end = object.read();
            names.has_unknown |= object.ids.is_empty() || object.has_unread;
            names.others.append(&mut object.ids);
        }
        names.search(line);
        names
    }

    /// The names of the beginning of a line, which may be followed by other objects.
    pub(super) fn read_beginning(beginning: &[u8], has_more: bool) -> Self {
        let mut names = Self::read(beginning);
        names.has_unknown |= has_more;
        names
    }

    /// Adds everything that looks like an identifier: a damaged line may contain parts of other
    /// lines.
    fn search(&mut self, line: &[u8]) {
        let keys = (0..line.len()).filter_map(|at| {
            let rest = line.get(at..)?;
            let is_key = rest.starts_with(b"\"id\"") || rest.starts_with(b"'id'");
            is_key.then_some(at + 4)
        });
        for behind in keys {
            let mut tokens = Tokens::from(line, behind);
            if tokens.next().is_none_or(|it| it.kind != TokenKind::Colon) {
                continue;
            }
            let (value, next) = (tokens.next(), tokens.next());
            let is_cut = next.is_none() && value.is_none_or(|value| !is_closed(value));
            self.has_unknown |= is_cut;
            self.others
                .extend(value.and_then(|value| scalar(value, next.is_none())));
        }
    }

    /// The identifiers, as far as postings can have them.
    pub fn identifiers(&self) -> impl Iterator<Item = SourceIdentifier> {
        let all = self.id.iter().chain(&self.others);
        all.filter_map(|id| SourceIdentifier::new(id).ok())
    }

    /// Whether a line that is refused may be about a posting that it does not name.
    pub fn are_incomplete(&self) -> bool {
        let id = self.id.as_deref().map(SourceIdentifier::new);
        self.has_unknown || !matches!(id, Some(Ok(_)))
    }
}

/// The end of an object.
enum End {
    /// It is complete up to this offset.
    Complete(usize),
    /// It does not end, or its tokens are not in the order of an object.
    Damaged,
}

/// The part of an object that the next token is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Name,
    Colon,
    Value,
    Comma,
}

/// Reads the identifiers of an object as long as its tokens are in a valid order. Any word counts
/// as a value.
struct Object<'a> {
    tokens: Tokens<'a>,
    /// The brackets that are open.
    open: Vec<u8>,
    part: Part,
    /// Whether the value that comes next is an identifier.
    is_id: bool,
    /// An identifier, which counts once it is clear that it ends here.
    pending: Option<Token<'a>>,
    ids: Vec<String>,
    /// Whether there is an identifier that cannot be read.
    has_unread: bool,
}

impl<'a> Object<'a> {
    fn new(line: &'a [u8], at: usize) -> Self {
        Self {
            tokens: Tokens::from(line, at),
            open: Vec::new(),
            part: Part::Value,
            is_id: false,
            pending: None,
            ids: Vec::new(),
            has_unread: false,
        }
    }

    fn read(&mut self) -> End {
        while let Some(token) = self.tokens.next() {
            if self.open.is_empty() && token.text != b"{" {
                break;
            }
            if !self.take(token) {
                self.has_unread |= self.pending.is_some();
                return End::Damaged;
            }
            if self.open.is_empty() {
                return End::Complete(token.at + 1);
            }
        }
        if let Some(pending) = self.pending.take() {
            self.note(pending, true);
        }
        End::Damaged
    }

    /// Takes a token, and returns whether it may be there.
    fn take(&mut self, token: Token<'a>) -> bool {
        let is_scalar = matches!(token.kind, TokenKind::Text { .. } | TokenKind::Word);
        match (self.part, token.kind) {
            (Part::Name, _) if is_scalar => {
                self.is_id = self.open.len() == 1 && name(token).as_deref() == Some("id");
                self.part = Part::Colon;
            }
            (Part::Colon, TokenKind::Colon) => self.part = Part::Value,
            (Part::Value, _) if is_scalar => {
                self.pending = Some(token).filter(|_| self.is_id);
                self.is_id = false;
                self.part = Part::Comma;
            }
            (Part::Value, TokenKind::Open) => {
                self.has_unread |= self.is_id;
                self.is_id = false;
                self.open.extend(token.text);
                self.part = self.first_part();
            }
            // A value may be missing, and a comma too many.
            (Part::Name | Part::Value | Part::Comma, TokenKind::Comma) => {
                self.settle();
                self.part = self.first_part();
            }
            (Part::Name | Part::Value | Part::Comma, TokenKind::Close) => {
                self.settle();
                let closes = match self.open.pop() {
                    Some(b'{') => b"}",
                    _ => b"]",
                };
                self.part = Part::Comma;
                return token.text == closes;
            }
            // A comma is missing: what follows the identifier is a name.
            (Part::Comma, TokenKind::Text { .. }) if self.pending.is_some() => {
                let mut after = self.tokens.clone();
                let is_name = after.next().is_some_and(|it| it.kind == TokenKind::Colon);
                if is_name {
                    self.settle();
                    self.part = Part::Colon;
                }
                return is_name;
            }
            _ => return false,
        }
        true
    }

    /// The part with which the innermost object or list goes on.
    fn first_part(&self) -> Part {
        match self.open.last() {
            Some(b'{') => Part::Name,
            _ => Part::Value,
        }
    }

    /// Notes the identifier that has ended, or one that is missing.
    fn settle(&mut self) {
        self.has_unread |= std::mem::take(&mut self.is_id);
        if let Some(pending) = self.pending.take() {
            self.note(pending, false);
        }
    }

    fn note(&mut self, id: Token<'_>, is_last: bool) {
        let id = scalar(id, is_last);
        self.has_unread |= id.is_none();
        self.ids.extend(id);
    }
}

/// The name of a member.
fn name(token: Token<'_>) -> Option<String> {
    match token.kind {
        TokenKind::Word => String::from_utf8(token.text.to_vec()).ok(),
        _ => text(token),
    }
}

/// Reads a token as an identifier. The last token of a text may be cut off, so a number counts only
/// if something follows it.
fn scalar(token: Token<'_>, is_last: bool) -> Option<String> {
    if token.kind != TokenKind::Word {
        return text(token);
    }
    let digits = token.text.strip_prefix(b"-").unwrap_or(token.text);
    let is_whole = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    (is_whole && !is_last).then(|| String::from_utf8_lossy(token.text).into_owned())
}

const fn is_closed(token: Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Text { is_closed: true })
}

/// The value of a string, which may stand between single quotes.
fn text(token: Token<'_>) -> Option<String> {
    let literal = std::str::from_utf8(token.text).ok()?;
    if !is_closed(token) {
        return None;
    }
    if literal.starts_with('"') {
        return serde_json::from_str(literal).ok();
    }
    let inner = literal.get(1..literal.len() - 1)?.replace("\\'", "'");
    serde_json::from_str(&format!("\"{}\"", inner.replace('"', "\\\""))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identifier, further ones, and whether that may not be all.
    fn read(line: &[u8]) -> (Option<String>, Vec<String>, bool) {
        let names = Names::read(line);
        let mut others = names.others.clone();
        others.retain(|other| Some(other) != names.id.as_ref());
        others.dedup();
        let is_incomplete = names.are_incomplete();
        (names.id, others, is_incomplete)
    }

    #[test]
    fn the_identifier_is_read_whatever_follows_it() {
        let deep = format!(r#"{{"id":"a","payload":{}"#, "[{\"x\":".repeat(50_000));
        for line in [
            r#"{"id":"a","payload":{"salary_min":NaN}}"#,
            r#"{"id":"a","payload":{"salary_min":-Infinity,"x":nan}}"#,
            r#"{"id":"a","payload":{"title":"T",},}"#,
            r#"{"id":"a","payload":{"title":None,"x":True}}"#,
            r#"{'id': 'a', 'payload': {'title': "it's"}}"#,
            r#"{id: "a", payload: {title: undefined}}"#,
            r#"{"id":"a","payload":{"title":"cut of"#,
            r#"{"id":"a"}"#,
            r#"{"id":"a""#,
            r#"{"id":"a","#,
            r#"{"id":"a","payload":{"title":"5" pipe"}}"#,
            r#"{"id":"a" "payload":{}}"#,
            r#"{"id":"a","payload":{}} trailing"#,
            r#"{"id":"a","payload":{}},"#,
            r#"{"id":"a","payload":{}}}"#,
            r#"{"id":"a","payload":{]}"#,
            r#"{"id":"a","payload":{"x":,"y":}}"#,
            r#"{"id":"a","payload":datetime.date(2026, 1, 1)}"#,
            r#"{"\u0069d":"\u0061","payload":{}"#,
            "{\"id\":\"a\",\"payload\":{\"title\":\"a\tb\"}}",
            "\u{feff}{\"id\":\"a\",\"payload\":[]}",
            r#"{"payload":{"salary_min":NaN,"metadata":{"x":["}"]}},"id":"a"}"#,
            r#"{"payload":{"metadata":{"id":null}},"id":"a","x":None}"#,
            &deep,
        ] {
            let (id, others, is_incomplete) = read(line.as_bytes());
            assert_eq!(id.as_deref(), Some("a"), "{line}");
            assert_eq!((others, is_incomplete), (vec![], false), "{line}");
        }
        let latin = b"{\"id\":\"a\",\"payload\":{\"title\":\"caf\xe9\"}}";
        assert_eq!(read(latin), (Some("a".to_owned()), vec![], false));
        for (line, expect) in [
            (r#"{"id":7,"payload":{}}"#, "7"),
            (r#"{"id":-7 ,"payload":NaN}"#, "-7"),
            (r#"{"id":007}"#, "007"),
            (
                r#"{"id":123456789012345678901234567890,"#,
                "123456789012345678901234567890",
            ),
            (r#"{'id': 'a\'b"c'}"#, "a'b\"c"),
            (r#"{"id":"a\/\u00e9","payload":None}"#, "a/é"),
        ] {
            assert_eq!(
                read(line.as_bytes()),
                (Some(expect.to_owned()), vec![], false),
                "{line}"
            );
        }
    }

    #[test]
    fn what_is_not_certain_is_unattributed() {
        for line in [
            "nonsense",
            "{",
            r#""id": "a","#,
            r#"[{"id":"a","payload":{}}]"#,
            r#"{"payload":{}}"#,
            r#"{"payload":{"title":"T"#,
            r#"{"payload":{"title":"5" pipe","metadata":{"x":1}},"id":"a"}"#,
            r#"{"payload":{"id":"a"},"ID":"a"}"#,
            r#"{"id":"a"b","payload":{}}"#,
            r#"{"id":"a"#,
            r#"{"id":12"#,
            r#"{"id":1.5,"payload":{}}"#,
            r#"{"id":null,"payload":{}}"#,
            r#"{"id":,"payload":{}}"#,
            r#"{"id":["a"],"payload":{}}"#,
            r#"{"id":"\ud800","payload":{}}"#,
            r#"{"id":"","payload":NaN}"#,
            r#"{"id":"a\u0000","payload":NaN}"#,
            // What may be a line of another posting, cut off in turn.
            r#"{"id":"a","payload":{}}{"id":"#,
            r#"{"id":"a","payload":{}}{"payload":{}}"#,
            r#"{"id":"a","payload":{"title":"cut of{"id":"b"#,
            r#"{"id":"a","id":{}}"#,
        ] {
            assert!(Names::read(line.as_bytes()).are_incomplete(), "{line}");
        }
        for line in [
            &b"{\"id\":\"\xff\",\"payload\":{}}"[..],
            b"{\0\"\0i\0d\0\"\0:\0",
        ] {
            assert!(Names::read(line).are_incomplete(), "{line:?}");
        }
        let long = Names::read_beginning(br#"{"id":"a","payload":{"x":""#, true);
        assert!(long.id.is_some() && long.are_incomplete());
    }

    #[test]
    fn every_posting_that_a_damaged_line_may_be_about_is_named() {
        for (line, others) in [
            (
                r#"{"id":"a","payload":{}}{"id":"b","payload":{}}"#,
                &["b"][..],
            ),
            (r#"{"id":"a"} , {"id":7} x {'id':'c'}"#, &["7", "c"]),
            (r#"{"id":"a","payload":{},"id":"b"}"#, &["b"]),
            (
                r#"{"id":"a","payload":{"title":"cut of{"id":"b","payload":{}}"#,
                &["b"],
            ),
            (
                r#"{"id":"a","payload":{"x":[1,{"id" : "b","payload":{}}"#,
                &["b"],
            ),
            (r#"{"id":"a","payload":{"x":1{"payload":{},"id":8}"#, &["8"]),
        ] {
            let found = read(line.as_bytes());
            let others = others.iter().map(|&other| other.to_owned()).collect();
            assert_eq!(found, (Some("a".to_owned()), others, false), "{line}");
        }
    }
}
