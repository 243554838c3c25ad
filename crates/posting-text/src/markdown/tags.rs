use std::{collections::HashSet, sync::LazyLock};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Block,
    Heading(u8),
    List,
    OrderedList,
    Item,
    Term,
    Quote,
    Table,
    TableHead,
    TableBody,
    Row,
    HeaderCell,
    Cell,
    Pre,
    Break,
    Rule,
    Styled(Style),
    Link,
    Image,
    /// Content for machines, or a control: dropped.
    Dropped,
    /// Dropped content that is not parsed as markup.
    DroppedRaw,
    Inline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Strong,
    Emphasis,
    Deleted,
    Superscript,
    Subscript,
    Code,
}

impl Tag {
    /// Whether line feeds around the tag mean nothing.
    pub(crate) fn is_block(self) -> bool {
        matches!(
            self,
            Self::Block
                | Self::Heading(_)
                | Self::List
                | Self::OrderedList
                | Self::Item
                | Self::Term
                | Self::Quote
                | Self::Table
                | Self::Row
                | Self::HeaderCell
                | Self::Cell
                | Self::Pre
        )
    }
}

/// `None` for no element of HTML, so that `List<String>` and `<your name>` stay text.
pub(crate) fn tag(name: &str) -> Option<Tag> {
    Some(match name {
        "p" | "div" | "section" | "article" | "header" | "footer" | "main" | "aside" | "nav"
        | "address" | "figure" | "figcaption" | "center" | "fieldset" | "form" | "dl" | "dd"
        | "details" | "summary" | "hgroup" | "legend" | "html" | "body" | "head" | "search"
        | "dialog" | "caption" | "xmp" | "plaintext" | "listing" | "marquee" => Tag::Block,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Tag::Heading(name.as_bytes()[1] - b'0'),
        "ul" | "menu" | "dir" => Tag::List,
        "ol" => Tag::OrderedList,
        "li" => Tag::Item,
        "dt" => Tag::Term,
        "blockquote" => Tag::Quote,
        "table" => Tag::Table,
        "thead" => Tag::TableHead,
        "tbody" | "tfoot" => Tag::TableBody,
        "tr" => Tag::Row,
        "th" => Tag::HeaderCell,
        "td" => Tag::Cell,
        "pre" => Tag::Pre,
        "br" => Tag::Break,
        "hr" => Tag::Rule,
        "b" | "strong" => Tag::Styled(Style::Strong),
        "del" | "s" | "strike" => Tag::Styled(Style::Deleted),
        "sup" => Tag::Styled(Style::Superscript),
        "sub" => Tag::Styled(Style::Subscript),
        "i" | "em" | "cite" | "dfn" | "var" => Tag::Styled(Style::Emphasis),
        "code" | "kbd" | "samp" | "tt" => Tag::Styled(Style::Code),
        "a" => Tag::Link,
        "img" | "image" => Tag::Image,
        "iframe" | "object" | "embed" | "applet" | "svg" | "canvas" | "video" | "audio"
        | "select" | "option" | "optgroup" | "datalist" | "textarea" | "button" | "title"
        | "noframes" | "noembed" | "map" | "frameset" | "noscript" | "template" | "xml" => {
            Tag::Dropped
        }
        "script" | "style" => Tag::DroppedRaw,
        "span" | "font" | "u" | "ins" | "small" | "big" | "mark" | "abbr" | "acronym" | "q"
        | "label" | "time" | "data" | "bdi" | "bdo" | "ruby" | "rt" | "rp" | "rb" | "wbr"
        | "nobr" | "blink" | "output" | "progress" | "meter" | "math" | "picture" | "source"
        | "track" | "area" | "input" | "meta" | "link" | "base" | "basefont" | "frame"
        | "param" | "col" | "colgroup" | "slot" => Tag::Inline,
        _ if is_foreign(name) => Tag::Inline,
        _ => return None,
    })
}

/// Whether placeholders also have the name of this element: `<Address>`.
pub(crate) fn is_word(name: &str) -> bool {
    static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
        let words = include_str!("tables/tags_words.txt");
        words.split_ascii_whitespace().collect()
    });
    WORDS.contains(name)
}

pub(crate) fn is_flag(word: &str) -> bool {
    const FLAGS: &str = include_str!("tables/tags_flags.txt");
    word.contains(['-', ':', '"', '\'']) && !word.starts_with('-')
        || FLAGS
            .split_ascii_whitespace()
            .any(|flag| word.eq_ignore_ascii_case(flag))
}

/// Tags of word processors and page builders: `o:p`, `st1:place`, `my-element`.
fn is_foreign(name: &str) -> bool {
    match name.split_once(':') {
        Some((prefix, rest)) => {
            prefix.len() <= 4
                && matches!(
                    prefix,
                    "o" | "w" | "v" | "m" | "st1" | "st2" | "x" | "g" | "svg"
                )
                && !rest.is_empty()
                && rest.bytes().all(|b| b.is_ascii_alphanumeric())
        }
        None => {
            name.contains('-')
                && name.len() <= 40
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
                && (name.starts_with("app-") || name.starts_with("x-") || name.starts_with("ng-"))
        }
    }
}
