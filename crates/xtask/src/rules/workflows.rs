//! The workflows: other people's actions are named by a commit's digest.
//!
//! A tag can be moved to other code by whoever owns the action, a digest cannot. The version
//! behind it, as a comment, is for people and for the bot that proposes updates.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::Violation;

/// The folder of the workflows.
const FOLDER: &str = ".github/workflows";

/// Every action in the workflows that is not pinned.
pub fn check(root: &Path) -> Result<Vec<Violation>> {
    let mut violations = Vec::new();
    let entries = fs::read_dir(root.join(FOLDER)).context(FOLDER)?;
    for entry in entries {
        let path = entry?.path();
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let shown = path.strip_prefix(root).unwrap_or(&path).display();
        violations.extend(unpinned(&text).into_iter().map(|(line, action)| Violation {
            subject: format!("{shown}:{line}"),
            rule: "workflows",
            found: format!("uses {action}"),
            remedy:
                "Name the commit by its digest, and the version in a comment behind it".to_owned(),
        }));
    }
    Ok(violations)
}

/// The lines that use an action otherwise than `owner/name@<40 hex digits> # version`.
fn unpinned(text: &str) -> Vec<(usize, &str)> {
    let uses = text.lines().enumerate().filter_map(|(at, line)| {
        let line = line.trim_start().trim_start_matches("- ");
        Some((at + 1, line.strip_prefix("uses:")?.trim()))
    });
    uses.filter(|(_, action)| !action.starts_with("./") && !is_pinned(action))
        .collect()
}

fn is_pinned(action: &str) -> bool {
    let Some((name, version)) = action.split_once(" # ") else {
        return false;
    };
    let digest = name.split_once('@').map_or("", |(_, digest)| digest);
    digest.len() == 40
        && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
        && version.starts_with('v')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_named_by_digest_and_version() {
        let pinned = "a/b@d23441a48e516b6c34aea4fa41551a30e30af803 # v6.1.0";
        let cases = [
            (pinned, true),
            ("./.github/actions/ours", true),
            ("a/b@v6", false),
            ("a/b@v6 # v6", false),
            ("a/b@d23441a # v6.1.0", false),
            ("a/b@d23441a48e516b6c34aea4fa41551a30e30af803", false),
            ("a/b", false),
        ];
        for (action, is_fine) in cases {
            let text = format!("steps:\n  - uses: {action}\n  - run: uses nothing\n");
            let found = unpinned(&text);
            let expected: &[_] = if is_fine { &[] } else { &[(2, action)] };
            assert_eq!(found, expected, "{action}");
        }
    }
}
