//! The names that a company had, which its redacted texts hide too.

/// The largest number of former names that a company keeps.
pub const FORMER_NAMES: usize = 20;

/// The newest former names of a company that has this name now, without repeats. A name that it has
/// again is no former one.
pub fn former_names<T: AsRef<str>>(
    name: &str,
    newest_first: impl IntoIterator<Item = T>,
) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for former in newest_first {
        let former = former.as_ref();
        if names.len() == FORMER_NAMES {
            break;
        }
        if former != name && !names.iter().any(|known| known == former) {
            names.push(former.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_names_are_kept_without_repeats() {
        for (name, newest_first, expect) in [
            ("A", vec![], vec![]),
            ("A", vec!["A"], vec![]),
            ("C", vec!["B", "A"], vec!["B", "A"]),
            ("A", vec!["B", "A", "C", "B"], vec!["B", "C"]),
        ] {
            assert_eq!(
                former_names(name, &newest_first),
                expect,
                "{newest_first:?}"
            );
        }
        let many: Vec<_> = (0..50).map(|n| n.to_string()).collect();
        assert_eq!(former_names("1", &many).len(), FORMER_NAMES);
        assert_eq!(former_names("1", &many)[..2], ["0", "2"]);
    }
}
