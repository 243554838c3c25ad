//! The text of the pure crates: no ambient clock, no randomness, no I/O.
//!
//! Their `clippy.toml`, one file for all, bans the functions by their full paths, which a rename
//! does not fool; this rule bans whole modules of the standard library, which clippy cannot. Tests, the
//! folder `testing` and comments are not looked at.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::{PURE, Violation};

/// Calls and types that read the time, draw random bytes or print.
const WORDS: &[&str] = &[
    "now_utc(",
    "now_local(",
    "Uuid::new_v4",
    "Uuid::now_v6",
    "Uuid::now_v7",
    "SystemTime",
    "Instant::now",
    "println!(",
    "print!(",
];
/// Modules of the standard library, alone or in a group: `use std::{fmt, fs}`.
const MODULES: &[&str] = &["env", "fs", "net", "os", "process", "thread"];

/// Every forbidden word in the sources of the pure crates.
pub fn check(root: &Path) -> Result<Vec<Violation>> {
    let mut violations = Vec::new();
    for folder in PURE {
        visit(root, &root.join(folder).join("src"), &mut violations)?;
    }
    Ok(violations)
}

fn visit(root: &Path, folder: &Path, violations: &mut Vec<Violation>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        if matches!(stem, Some("tests" | "testing")) {
            continue;
        }
        if path.is_dir() {
            visit(root, &path, violations)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path)?;
            let shown = path.strip_prefix(root).unwrap_or(&path).display();
            violations.extend(impurities(&text).into_iter().map(|(line, word)| Violation {
                subject: format!("{shown}:{line}"),
                rule: "purity",
                found: format!("uses {word}"),
                remedy: "Take the time, the id or the data as an argument".to_owned(),
            }));
        }
    }
    Ok(())
}

/// Line numbers and forbidden words.
fn impurities(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut group = Group::default();
    for (number, line) in shipped_lines(text) {
        for word in WORDS.iter().filter(|word| line.contains(**word)) {
            found.push((number, word.trim_end_matches('(').to_owned()));
        }
        for module in MODULES.iter().filter(|module| names_module(line, module)) {
            found.push((number, format!("std::{module}")));
        }
        for module in group.modules(line) {
            found.push((number, format!("std::{module}")));
        }
    }
    found
}

/// The lines that are neither comments nor tests, with their numbers.
fn shipped_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // The indentation of a `#[cfg(test)]` whose item has not ended yet.
    let mut test_item: Option<usize> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let code = line.trim_start();
        let indentation = line.len() - code.len();
        if let Some(start) = test_item {
            let ends = code == "}" || code.ends_with(';') || code.ends_with("{}");
            if indentation == start && ends {
                test_item = None;
            }
            return None;
        }
        if code.starts_with("#[cfg(test)]") {
            test_item = Some(indentation);
            return None;
        }
        (!code.starts_with("//")).then_some((index + 1, line))
    })
}

/// Whether `std::fs` is in the line, and not just the start of `std::fsomething`.
fn names_module(line: &str, module: &str) -> bool {
    line.split("std::").skip(1).any(|rest| {
        rest.strip_prefix(module).is_some_and(|after| {
            !after.starts_with(|next: char| next.is_alphanumeric() || next == '_')
        })
    })
}

/// Follows `use std::{…}` over lines.
#[derive(Default)]
struct Group {
    depth: usize,
}

impl Group {
    /// The forbidden modules that a line names at the top level of a group.
    fn modules(&mut self, line: &str) -> Vec<&'static str> {
        let rest = match (self.depth, line.split_once("std::{")) {
            (0, None) => return Vec::new(),
            (0, Some((_, rest))) => {
                self.depth = 1;
                rest
            }
            _ => line,
        };
        let mut top_level = String::new();
        for letter in rest.chars() {
            match letter {
                '{' => self.depth += 1,
                '}' => self.depth = self.depth.saturating_sub(1),
                _ if self.depth == 1 => top_level.push(letter),
                _ => {}
            }
            if self.depth == 0 {
                break;
            }
        }
        let names = top_level
            .split(',')
            .filter_map(|item| item.split([':', ' ']).find(|part| !part.is_empty()))
            .collect::<Vec<_>>();
        MODULES
            .iter()
            .copied()
            .filter(|module| names.contains(module))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impure_text_is_found() {
        let cases = [
            ("let now = OffsetDateTime::now_utc();", "now_utc"),
            ("let id = Uuid::now_v7();", "Uuid::now_v7"),
            ("let id = uuid::Uuid::new_v4();", "Uuid::new_v4"),
            ("use std::time::SystemTime;", "SystemTime"),
            ("let start = Instant::now();", "Instant::now"),
            ("use std::fs;", "std::fs"),
            ("use std::fs::File;", "std::fs"),
            ("let home = std::env::var(\"HOME\");", "std::env"),
            ("use std::{fmt, net};", "std::net"),
            ("use std::{fmt, env::var};", "std::env"),
            (
                "use std::{\n    fmt,\n    thread::{self, sleep},\n};",
                "std::thread",
            ),
        ];
        for (text, word) in cases {
            let found = impurities(text);
            let words = found.iter().map(|(_, word)| word).collect::<Vec<_>>();
            assert_eq!(words, [word], "{text}");
        }
    }

    #[test]
    fn pure_text_tests_and_comments_are_left_alone() {
        let cases = [
            "pub fn decide(now: OffsetDateTime) {}",
            "use std::fmt;",
            "use std::fspath;",
            "use std::{collections::{fs, env}, fmt};",
            "//! Never calls `OffsetDateTime::now_utc()`.",
            "    // std::fs is for adapters",
            "#[cfg(test)]\nmod tests {\n    use std::fs;\n}",
            "#[cfg(test)]\nuse std::time::Instant;",
        ];
        for text in cases {
            assert_eq!(impurities(text), [], "{text}");
        }
    }

    /// Clippy joins no two configuration files.
    #[test]
    fn clippy_in_pure_crates_keeps_the_settings_of_the_workspace() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let settings = |folder: &str| {
            let text = fs::read_to_string(root.join(folder).join("clippy.toml")).unwrap();
            toml::from_str::<toml::Table>(&text).unwrap()
        };
        let pure = settings("crates/domain");
        for (name, value) in settings("") {
            assert_eq!(pure.get(&name), Some(&value), "{name}");
        }
        for folder in PURE {
            assert_eq!(settings(folder), pure, "{folder}");
        }
    }

    #[test]
    fn what_follows_a_test_item_is_looked_at() {
        let cases = [
            "#[cfg(test)]\nmod tests;\n\nuse std::fs;",
            "#[cfg(test)]\nfn helper() {\n    if true {\n    }\n}\nuse std::fs;\n",
            "use std::{fmt, io};\nuse crate::x;\n\nuse std::fs;",
        ];
        for text in cases {
            let words = impurities(text).into_iter().map(|(_, word)| word);
            assert_eq!(words.collect::<Vec<_>>(), ["std::fs"], "{text}");
        }
    }
}
