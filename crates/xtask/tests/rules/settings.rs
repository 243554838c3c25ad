use std::fs;
use std::path::Path;

use crate::{ROOT, assert_none};

/// A tag can be moved to other code, a digest cannot. The version is for readers and update bots.
#[test]
fn actions_are_named_by_the_digest_of_a_commit() {
    let mut violations = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join(".github/workflows")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let used = text.lines().filter_map(|line| line.split_once("uses: "));
        let loose = used.filter(|(_, action)| !is_pinned(action));
        violations.extend(loose.map(|(_, action)| format!("{}: {action}", path.display())));
    }
    assert_none(&violations);
}

/// Whether a reference has the form `owner/name@<40 hex digits> # version`.
fn is_pinned(action: &str) -> bool {
    action.split_once(" # v").is_some_and(|(name, _)| {
        let digest = name.split_once('@').map_or("", |(_, digest)| digest);
        digest.len() == 40 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[test]
fn a_tag_is_no_digest() {
    assert!(is_pinned(
        "a/b@d23441a48e516b6c34aea4fa41551a30e30af803 # v6.1.0"
    ));
    for loose in [
        "a/b@v6",
        "a/b@v6 # v6",
        "a/b@d23441a48e516b6c34aea4fa41551a30e30af803",
    ] {
        assert!(!is_pinned(loose), "{loose}");
    }
}

/// A filter that no test matches runs nothing, and passes.
#[test]
fn documented_filters_of_end_to_end_tests_match_cases() {
    let text = fs::read_to_string(Path::new(ROOT).join("tests/README.md")).unwrap();
    let filters = text.split("end-to-end cases::").skip(1);
    let names: Vec<_> = filters
        .filter_map(|rest| rest.split_whitespace().next())
        .collect();
    assert!(!names.is_empty());
    let cases = Path::new(ROOT).join("tests/src/cases");
    for name in names {
        let is_known = cases.join(format!("{name}.rs")).exists() || cases.join(name).is_dir();
        assert!(is_known, "tests/README.md: no case is called {name}");
    }
}

/// Clippy reads only the first clippy.toml from a crate's folder upwards and does not merge them.
#[test]
fn a_crate_with_clippy_settings_of_its_own_repeats_those_of_the_workspace() {
    let settings = |path: &Path| {
        let text = fs::read_to_string(path).ok()?;
        Some(toml::from_str::<toml::Table>(&text).unwrap())
    };
    let shared = settings(&Path::new(ROOT).join("clippy.toml")).unwrap();
    for entry in fs::read_dir(Path::new(ROOT).join("crates")).unwrap() {
        let path = entry.unwrap().path().join("clippy.toml");
        let Some(own) = settings(&path) else { continue };
        for (name, value) in &shared {
            assert_eq!(own.get(name), Some(value), "{name} in {}", path.display());
        }
    }
}
