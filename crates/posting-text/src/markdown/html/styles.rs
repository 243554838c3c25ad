use std::collections::HashMap;

use html5gum::StartTag;

use super::{
    attributes::attribute,
    hidden::{Hiding, of_style},
};

/// Rules of a document's own style sheets that hide elements.
#[derive(Debug, Default)]
pub(super) struct StyleSheet {
    /// What each selector of one part hides: `.a`, `#a`, `p.a`.
    rules: HashMap<String, Hiding>,
    /// White text shows on them.
    has_backgrounds: bool,
}

impl StyleSheet {
    /// Reads the sheets, without rules for other media than screens and selectors of several parts.
    pub(super) fn of(html: &str) -> Self {
        let has_backgrounds = html.contains("background") || html.contains("bgcolor");
        let mut rules = HashMap::new();
        let mut rest = html;
        while let Some(at) = rest.find("<style") {
            let Some(start) = rest[at..].find('>') else {
                break;
            };
            let sheet = &rest[at + start + 1..];
            let Some(end) = sheet.find("</") else { break };
            read(&sheet[..end], has_backgrounds, &mut rules);
            rest = &sheet[end..];
        }
        Self {
            rules,
            has_backgrounds,
        }
    }

    pub(super) fn hiding(&self, start: &StartTag<()>) -> Option<Hiding> {
        if start.attributes.is_empty() {
            return None;
        }
        if attribute(start, "hidden").is_some() {
            return Some(Hiding::Whole);
        }
        let own = attribute(start, "style");
        let own = own.and_then(|style| of_style(&style, self.has_backgrounds));
        own.or_else(|| self.by_rules(start))
    }

    fn by_rules(&self, start: &StartTag<()>) -> Option<Hiding> {
        if self.rules.is_empty() {
            return None;
        }
        let name = String::from_utf8_lossy(&start.name);
        let rule = |selector: String| {
            let of_element = self.rules.get(&format!("{name}{selector}"));
            of_element.or_else(|| self.rules.get(&selector)).copied()
        };
        let classes = attribute(start, "class").unwrap_or_default();
        let mut classes = classes.split_whitespace();
        let id = attribute(start, "id");
        id.and_then(|id| rule(format!("#{id}")))
            .or_else(|| classes.find_map(|class| rule(format!(".{class}"))))
    }
}

fn read(sheet: &str, has_backgrounds: bool, rules: &mut HashMap<String, Hiding>) {
    let mut rest = sheet;
    let mut nested = 0_usize;
    while let Some(open) = rest.find(['{', '}']) {
        let is_end = rest[open..].starts_with('}');
        let selectors = rest[..open]
            .rsplit([';', '/', '>'])
            .next()
            .unwrap_or_default();
        rest = &rest[open + 1..];
        if is_end {
            nested = nested.saturating_sub(1);
            continue;
        }
        if selectors.contains('@') {
            nested += 1;
            continue;
        }
        let end = rest.find('}').unwrap_or(rest.len());
        if nested == 0 {
            let hiding = of_style(&rest[..end], has_backgrounds);
            for selector in selectors.split(',').map(str::trim) {
                let is_simple = selector.contains(['.', '#'])
                    && !selector.contains([' ', '>', '+', '~', ':', '[', '*'])
                    && selector.matches(['.', '#']).count() == 1;
                match hiding {
                    Some(hiding) if is_simple => rules.insert(selector.to_owned(), hiding),
                    _ => rules.remove(selector),
                };
            }
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
}
