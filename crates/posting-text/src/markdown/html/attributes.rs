use html5gum::StartTag;

use crate::markdown::source;

pub(super) fn attribute(start: &StartTag<()>, name: &str) -> Option<String> {
    start
        .attributes
        .get(name.as_bytes())
        .map(|value| source::characters(&String::from_utf8_lossy(value)).into_owned())
}

pub(super) fn declarations(style: &str) -> impl Iterator<Item = (String, String)> {
    style.split(';').filter_map(|declaration| {
        let (property, value) = declaration.split_once(':')?;
        let value = value.split('!').next().unwrap_or_default();
        Some((
            property.trim().to_ascii_lowercase(),
            value.trim().to_ascii_lowercase(),
        ))
    })
}
