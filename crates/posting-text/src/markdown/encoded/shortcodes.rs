use std::collections::HashSet;

use regex::Captures;

use crate::pattern::patterns;

patterns! {
    SHORTCODE = concat!(
        r"\[(/?)([a-z][a-z0-9]*(?:[_-][a-z0-9]+)*)",
        r#"((?:\s+[a-zA-Z_][\w-]*\s*=\s*(?:"[^"\]]*"|'[^'\]]*'|“[^”\]]*”|″[^″\]]*″|&quot;[^\]]*?&quot;|[^\s"'\]]+))*)\s*/?\]"#,
    );
}

/// Removes `[et_pb_section admin_label="x"]`. `None` without attributes or ends.
pub(super) fn removed(text: &str) -> Option<String> {
    if !text.contains('[') || !text.contains(['=', '/']) {
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
        }
    }
    let replaced = SHORTCODE.replace_all(text, |found: &Captures<'_>| {
        let (is_end, name, attributes) = (!found[1].is_empty(), &found[2], &found[3]);
        let is_quoted = attributes.contains(['"', '\'', '“', '″']) || attributes.contains("&quot;");
        let is_code = if is_end {
            starts.contains(name)
        } else {
            ends.contains(name) || is_quoted || (name.contains('_') && !attributes.is_empty())
        };
        match &found[0] {
            code if !is_code => code.to_owned(),
            _ if name.contains('_') => "\n\n".to_owned(),
            _ => String::new(),
        }
    });
    (replaced.len() < text.len()).then(|| replaced.into_owned())
}
