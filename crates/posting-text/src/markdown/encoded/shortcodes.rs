use std::collections::HashSet;

use regex::Captures;

use crate::pattern::patterns;

patterns! {
    SHORTCODE = concat!(
        r"(?:\[|&#91;)(/?)([a-z][a-z0-9]*(?:[_-][a-z0-9]+)*)",
        r#"((?:\s+[a-zA-Z_][\w-]*\s*=\s*(?:"[^"\]]*"|'[^'\]]*'|[“”″][^“”″\]]*[”″]|&(?:quot|#82\d\d);[^\]]*?&(?:quot|#82\d\d);|[^\s"'&\]]+))*)\s*/?(?:\]|&#93;)"#,
    );
    /// Attributes that a page shows.
    SHOWN = r#"\s(?:title|text|heading)\s*=\s*(?:["“”″]([^"“”″]+)|'([^']+))"#;
}

/// Removes `[et_pb_section admin_label="x"]` but its title. `None` without attributes or ends.
pub(super) fn removed(text: &str) -> Option<String> {
    if !text.contains(['=', '/']) {
        return None;
    }
    let mut ends: HashSet<&str> = HashSet::new();
    let mut starts: HashSet<&str> = HashSet::new();
    for found in SHORTCODE.captures_iter(text) {
        let name = found.get(2).map_or("", |name| name.as_str());
        if found[1].is_empty() {
            starts.insert(name);
        } else {
            ends.insert(name);
            ends.extend(builder(name));
        }
    }
    let replaced = SHORTCODE.replace_all(text, |found: &Captures<'_>| {
        let (is_end, name, attributes) = (!found[1].is_empty(), &found[2], &found[3]);
        // The semicolon ends `&quot;`.
        let is_quoted = attributes.contains(['"', '\'', '“', '”', '″', ';']);
        let is_code = if is_end {
            starts.contains(name)
        } else {
            let is_known = |name| ends.contains(name);
            is_known(name)
                || builder(name).is_some_and(is_known)
                || is_quoted
                || (name.contains('_') && !attributes.is_empty())
        };
        let is_button = name.ends_with("btn") || name.ends_with("button");
        let shown = SHOWN.captures(attributes).filter(|_| !is_button);
        match shown.and_then(|it| it.get(1).or(it.get(2))) {
            _ if !is_code => found[0].to_owned(),
            _ if !name.contains('_') => String::new(),
            Some(shown) => format!("\n\n<h3>{}</h3>\n\n", shown.as_str()),
            None => "\n\n".to_owned(),
        }
    });
    (replaced.len() < text.len()).then(|| replaced.into_owned())
}

/// The page builder of a shortcode: `vc` of `vc_row`.
fn builder(name: &str) -> Option<&str> {
    name.split_once('_').map(|(builder, _)| builder)
}
