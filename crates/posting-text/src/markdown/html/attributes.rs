use html5gum::StartTag;

use crate::markdown::source;

pub(super) fn attribute(start: &StartTag<()>, name: &str) -> Option<String> {
    start
        .attributes
        .get(name.as_bytes())
        .map(|value| source::characters(&String::from_utf8_lossy(value)).into_owned())
}

/// A property, its value, and whether it is `!important`.
pub(super) type Declaration = (String, String, bool);

/// The weight of a rule, and its place among rules of equal weight.
pub(super) type Order = (usize, usize);

pub(super) fn declarations(style: &str) -> impl Iterator<Item = Declaration> {
    style.split(';').filter_map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let (value, mark) = value.split_once('!').unwrap_or((value, ""));
        Some((
            property.trim().to_ascii_lowercase(),
            value.trim().to_ascii_lowercase(),
            mark.trim().eq_ignore_ascii_case("important"),
        ))
    })
}
