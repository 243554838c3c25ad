use crate::markdown::is_safe_link;

/// No HTML, no image and only safe links: a cheap test that suffices for most texts.
pub(super) fn is_evidently_clean(markdown: &str) -> bool {
    let is_safe = |(at, found): (usize, &str)| {
        let rest = &markdown[at + found.len()..];
        let end = rest.find(|c: char| c == ')' || c.is_whitespace());
        is_safe_link(&rest[..end.unwrap_or(rest.len())])
    };
    !markdown.contains('<')
        && !markdown.contains("![")
        && !markdown.contains("]:")
        && markdown.match_indices("](").all(is_safe)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Budget, reading::Reading};

    #[test]
    fn what_is_evidently_clean() {
        for markdown in [
            "[a](b)",
            "[a]( https://a.no)",
            "[a](https://)",
            "[a](mailto:b)",
            "![a](https://a.no)",
            "[a]: b\n\n[a]",
            "![a]\n\n[a]: b",
            "<b>",
            "<https://a.no>",
            "<!-- a -->",
        ] {
            assert!(!is_evidently_clean(markdown), "{markdown}");
        }
        for markdown in [
            "- **a** [b] (c) &lt;d>: `e` f!",
            "[a](https://a.no/b) [c](mailto:d@e.no \"f\") [g](HTTP://h.no)",
        ] {
            assert!(is_evidently_clean(markdown), "{markdown}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn what_is_evidently_clean_is_clean(pieces in prop::collection::vec(
            prop::sample::select(vec![
                "[", "]", "(", ")", "](", "](https://", "](mailto:", "a", "@", " ", "\n", "\n\n",
                "!", "\\", "&", "&colon;", ":", "http", "javascript", "//", "`", "*", "'",
            ]), 0..16,
        )) {
            let markdown = pieces.concat();
            let reading = Reading::of(&markdown, &Budget::unlimited()).unwrap();
            if is_evidently_clean(&markdown) {
                prop_assert!(reading.html.is_empty() && reading.images.is_empty());
                prop_assert!(reading.links.iter().all(|link| is_safe_link(link)), "{reading:?}");
            }
        }
    }
}
