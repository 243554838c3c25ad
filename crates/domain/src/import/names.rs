//! The postings that a line names, whatever else is wrong with it.
//!
//! A catalogue expires postings that no line names, so even an unreadable line must name its
//! posting. If the name is uncertain, [`Names`] has every identifier that the line may name. A flag
//! says whether the line may name further postings.

use fields::{
    body::{BYTE_ORDER_MARK, Token, TokenKind, Tokens},
    line::is_trimmed,
};
use kernel::{Prefixes, SourceIdentifier};

use super::hidden::{has_garbage, has_rests, is_separator, keys};

/// The postings that a line names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The line's identifier as sent; a number counts as its digits.
    pub id: Option<String>,
    /// Further identifiers in a damaged line. They may be from other lines.
    others: Vec<String>,
    /// Whether the line may concern a posting that has none of these identifiers.
    has_unknown: bool,
}

impl Names {
    /// The names of a readable line.
    pub const fn of(id: String) -> Self {
        Self {
            id: Some(id),
            others: Vec::new(),
            has_unknown: false,
        }
    }

    /// Reads the names of a refused line.
    pub fn read(line: &[u8]) -> Self {
        let (mut names, end) = Self::read_objects(line);
        // NUL bytes are a hole in a file. Any text may be lost there.
        names.has_unknown |= match end {
            End::Complete(_) => line.contains(&0),
            End::Cut => has_garbage(line),
            End::Damaged => has_garbage(line) || has_rests(line),
        };
        names
    }

    /// Reads the names from the beginning of a line. With `has_more`, the line may concern further
    /// postings.
    pub(super) fn read_beginning(beginning: &[u8], has_more: bool) -> Self {
        let (mut names, end) = Self::read_objects(beginning);
        names.has_unknown |= has_more || matches!(end, End::Damaged);
        names
    }

    fn read_objects(line: &[u8]) -> (Self, End) {
        let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let mut names = Self::default();
        let mut end = names.read_object(line, 0);
        if !names.others.is_empty() {
            names.id = Some(names.others.remove(0));
        }
        while let End::Complete(at) = end {
            let next = Tokens::from(line, at).find(|token| token.text == b"{");
            let between = line.get(at..next.map_or(line.len(), |next| next.at));
            let mut between = between.into_iter().flatten();
            names.has_unknown |= !between.all(|byte| is_separator(*byte));
            let Some(next) = next else {
                return (names, end);
            };
            end = names.read_object(line, next.at);
        }
        names.search(line);
        (names, end)
    }

    fn read_object(&mut self, line: &[u8], at: usize) -> End {
        let mut object = Object::new(line, at);
        let end = object.read();
        let ids = object.ids.len();
        self.has_unknown |= object.has_unread || ids == 0 || object.payloads > ids;
        self.others.append(&mut object.ids);
        end
    }

    /// Adds all possible identifiers, because a damaged line may contain parts of other lines.
    fn search(&mut self, line: &[u8]) {
        for (_, behind) in keys(line).filter(|(key, _)| *key == b"id") {
            let mut tokens = Tokens::from(line, behind);
            let (value, next) = (tokens.next(), tokens.next());
            let id = value.and_then(|value| scalar(value, next.is_none()));
            self.has_unknown |= id.is_none() || value.is_some_and(is_respelled);
            self.others.extend(id);
        }
    }

    /// The valid identifiers.
    pub fn identifiers(&self) -> impl Iterator<Item = SourceIdentifier> {
        let all = self.id.iter().chain(&self.others);
        all.filter_map(|id| SourceIdentifier::new(id).ok())
    }

    /// Whether a refused line may concern a posting that it does not name. An identifier may be
    /// misspelt if the client may not use it, or if white space or invisible characters surround
    /// it.
    pub fn are_incomplete(&self, prefixes: &Prefixes) -> bool {
        let may_be_meant = |id: &String| {
            let identifier = SourceIdentifier::new(id);
            is_trimmed(id) && identifier.is_ok_and(|identifier| prefixes.permit(&identifier))
        };
        let mut all = self.id.iter().chain(&self.others);
        self.has_unknown || self.id.is_none() || !all.all(may_be_meant)
    }
}

enum End {
    /// The object is complete, up to this offset.
    Complete(usize),
    /// The object is unfinished. Its tokens are in a valid order.
    Cut,
    /// The tokens are not in the order of an object.
    Damaged,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Name,
    Colon,
    Value,
    Comma,
}

/// Reads an object's identifiers while its tokens are in a valid order. Any word counts as a value.
struct Object<'a> {
    tokens: Tokens<'a>,
    open: Vec<u8>,
    part: Part,
    is_id: bool,
    /// An identifier that counts when its end is certain.
    pending: Option<Token<'a>>,
    ids: Vec<String>,
    payloads: usize,
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
            payloads: 0,
            has_unread: false,
        }
    }

    fn read(&mut self) -> End {
        while let Some(token) = self.tokens.next() {
            if self.open.is_empty() && token.text != b"{" {
                return End::Damaged;
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
        End::Cut
    }

    /// Returns whether the token's position is valid.
    fn take(&mut self, token: Token<'a>) -> bool {
        let is_scalar = matches!(token.kind, TokenKind::Text { .. } | TokenKind::Word);
        match (self.part, token.kind) {
            (Part::Name, _) if is_scalar => {
                let name = name(token);
                let is_outer = self.open.len() == 1;
                self.is_id = is_outer && name.as_deref() == Some("id");
                let is_payload = name.as_deref() == Some("payload");
                self.payloads += usize::from(is_payload && is_outer);
                // An inner object that looks like a line.
                self.has_unread |= is_payload && !is_outer;
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
            // A missing value and an extra comma are tolerated.
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
            // A comma is missing: a name follows the identifier.
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

    fn first_part(&self) -> Part {
        match self.open.last() {
            Some(b'{') => Part::Name,
            _ => Part::Value,
        }
    }

    fn settle(&mut self) {
        self.has_unread |= std::mem::take(&mut self.is_id);
        if let Some(pending) = self.pending.take() {
            self.note(pending, false);
        }
    }

    fn note(&mut self, id: Token<'_>, is_last: bool) {
        self.has_unread |= is_respelled(id);
        let id = scalar(id, is_last);
        self.has_unread |= id.is_none();
        self.ids.extend(id);
    }
}

fn name(token: Token<'_>) -> Option<String> {
    match token.kind {
        TokenKind::Word => String::from_utf8(token.text.to_vec()).ok(),
        _ => text(token),
    }
}

/// Reads a token as an identifier. The last token may be cut off, so a number counts only if a
/// token follows.
fn scalar(token: Token<'_>, is_last: bool) -> Option<String> {
    if token.kind != TokenKind::Word {
        return text(token);
    }
    let digits = token.text.strip_prefix(b"-").unwrap_or(token.text);
    let is_whole = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    (is_whole && !is_last).then(|| String::from_utf8_lossy(token.text).into_owned())
}

/// Whether a number is not in its usual form: `-7`, or `007`, which is not JSON. The line may have
/// been meant for the posting 7.
fn is_respelled(token: Token<'_>) -> bool {
    token.kind == TokenKind::Word
        && (token.text.starts_with(b"-") || (token.text.len() > 1 && token.text.starts_with(b"0")))
}

const fn is_closed(token: Token<'_>) -> bool {
    matches!(token.kind, TokenKind::Text { is_closed: true })
}

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

    fn read(line: &[u8]) -> (Option<String>, Vec<String>, bool) {
        let names = Names::read(line);
        let mut others = names.others.clone();
        others.retain(|other| Some(other) != names.id.as_ref());
        others.dedup();
        let is_incomplete = names.are_incomplete(&Prefixes::ALL);
        (names.id, others, is_incomplete)
    }

    #[test]
    fn the_identifier_is_read_before_any_text() {
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
            (r#"{"id":0 ,"payload":NaN}"#, "0"),
            (r#"{"id":"-7","payload":NaN}"#, "-7"),
            (r#"{"id":"007"}"#, "007"),
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
            r#"{"id":"a","payload":{}}{"id":"#,
            r#"{"id":"a","payload":{}}{"payload":{}}"#,
            r#"{"id":"a","payload":{"title":"cut of{"id":"b"#,
            r#"{"id":"a","id":{}}"#,
            r#"{"id":"a","payload":{}}"id":"b","payload":[]}"#,
            r#"{"id":"a","payload":{}} of a title"#,
            "{\"id\":\"a\",\"payload\":{}}\0\0",
            r#"{"id":"a","payload":{"title":"cut,"payload":{}}"#,
            r#"{"id":"a","payload":{"x":"cut "title":"T","pay":1}},"title":"U"}"#,
            r#"{"id":"a","payload":[{"payload":{},"x":{}}]"#,
            r#"{"id":"a","payload":{},"payload":{"x":1}}"#,
            r#"{"id":"a","payload":{"x":"cut{"id":["b"]}"#,
            r#"{id:"a",payload:{x:"cut{id:null,payload:{}}"#,
            "{\"id\":\"a\",\"payload\":{\"title\":\"\0\0\0\"}}",
            "{\"id\":\"a\",\"payload\":{\"title\":\"cut\u{1}\u{2}",
            // The line may have been meant for another posting.
            r#"{"id":-7,"payload":{}}"#,
            r#"{"id":007,"payload":{}}"#,
            r#"{"id":+7,"payload":{}}"#,
            r#"{"id":7.0,"payload":{}}"#,
            r#"{"id":" a ","payload":NaN}"#,
        ] {
            assert!(read(line.as_bytes()).2, "{line}");
        }
        for line in [
            &b"{\"id\":\"\xff\",\"payload\":{}}"[..],
            b"{\0\"\0i\0d\0\"\0:\0",
            b"{\"id\":\"a\",\"payload\":{}}\xff\xfe",
            b"{\"id\":\"a\",\"payload\":{\"x\":\"cut\x81\x82",
        ] {
            assert!(read(line).2, "{line:?}");
        }
        for (beginning, has_more, expect) in [
            (r#"{"id":"a","payload":{"x":""#, false, false),
            (r#"{"id":"a","payload":{"x":""#, true, true),
            (r#"{"id":"a","payload":{"x":"5" pipe"#, false, true),
            (r#"{"id":"a"#, false, true),
        ] {
            let long = Names::read_beginning(beginning.as_bytes(), has_more);
            assert_eq!(long.are_incomplete(&Prefixes::ALL), expect, "{beginning}");
        }
    }

    #[test]
    fn an_identifier_that_is_not_the_clients_may_be_a_misspelled_one() {
        let prefixes = Prefixes::new(&["acme-"]).unwrap();
        for (line, expect) in [
            (r#"{"id":"acme-40","payload":NaN}"#, false),
            (r#"{"id":"acme-40","payload":{}}{"id":"acme-41"}"#, false),
            (r#"{"id":"acme-40","payload":{}}{"id":"41"}"#, true),
            (r#"{"id":" acme-40 ","payload":NaN}"#, true),
            (r#"{"id":"acme-40 ","payload":NaN}"#, true),
            (r#"{"id":"acme-40\u200b","payload":NaN}"#, true),
            (r#"{"id":"acme- \u200b40","payload":NaN}"#, false),
            (r#"{"id":"ACME-40","payload":NaN}"#, true),
            (r#"{"id":40,"payload":{}}"#, true),
        ] {
            let names = Names::read(line.as_bytes());
            assert_eq!(names.are_incomplete(&prefixes), expect, "{line}");
        }
    }

    #[test]
    fn every_posting_that_a_damaged_line_may_be_about_is_named() {
        for (line, others) in [
            (
                r#"{"id":"a","payload":{}}{"id":"b","payload":{}}"#,
                &["b"][..],
            ),
            (r#"{"id":"a"} , {"id":7} ; {'id':'c'}"#, &["7", "c"]),
            (r#"{"id":"a","payload":{},"id":"b"}"#, &["b"]),
            (
                r#"{"id":"a","payload":{"title":"cut of{"id":"b","payload":{}}"#,
                &["b"],
            ),
            (r#"{"id":"a","payload":{"x":[1,{"id" : "b","x":{}}"#, &["b"]),
            (r#"{"id":"a","payload":{"x":1{"payload":{},"id":8}"#, &["8"]),
        ] {
            let found = read(line.as_bytes());
            let others = others.iter().map(|&other| other.to_owned()).collect();
            assert_eq!(found, (Some("a".to_owned()), others, false), "{line}");
        }
    }
}
