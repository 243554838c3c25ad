//! Counts end tags, so that an element that never ends swallows nothing.

use std::collections::HashMap;

use crate::markdown::tags::{Tag, tag};

/// For each element that may be dropped, how many of its end tags are still to come.
pub(super) struct EndTags(HashMap<String, usize>);

impl EndTags {
    pub(super) fn count(html: &str) -> Self {
        // Any element may be hidden, but few texts hide any.
        let any = ["hidden", "display", "mso-hide", "DISPLAY"];
        let any = any.iter().any(|sign| html.contains(sign));
        let mut counts = HashMap::new();
        for (at, _) in html.match_indices("</") {
            let name: String = html[at + 2..]
                .chars()
                .take(16)
                .take_while(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_lowercase())
                .collect();
            if any || matches!(tag(&name), Some(Tag::Dropped | Tag::DroppedRaw)) {
                *counts.entry(name).or_default() += 1;
            }
        }
        Self(counts)
    }

    pub(super) fn remain(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|count| *count > 0)
    }

    pub(super) fn passed(&mut self, name: &str) {
        if let Some(count) = self.0.get_mut(name) {
            *count = count.saturating_sub(1);
        }
    }
}
