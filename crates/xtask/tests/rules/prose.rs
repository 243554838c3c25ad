//! Checks the lines that people read: documents, comments, templates and messages.

use std::path::Path;
use std::process::Command;
use std::{fs, slice};

use crate::{ROOT, assert_none};

/// Words that CONTRIBUTING's style rules out.
const REFUSED: &[&str] = &[
    "anew", "mend", "mended", "mends", "nobody", "somebody", "told", "whoever",
];
/// Where a refused word may stay, by the beginning of the path, and why.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("nobody", "crates/pg-cluster/src/account.rs"), // The user.
    ("nobody", "crates/posting-text/src/rules/rejection.rs"), // A sentence of a test.
    ("nobody", "crates/cli/src/output.rs"),         // A key of a test.
    ("nobody", "crates/xtask/src/dist.rs"),         // The user.
    ("somebody", "crates/newsletter/src/audit.rs"), // A subject of a test.
];
/// The crates whose items need documentation, or whose documentation clients read. Some of it
/// repeats a name.
const DOCUMENTED: &[&str] = &[
    "access",
    "adapters-http",
    "domain",
    "enrichment",
    "kernel",
    "newsletter",
    "posting-text",
    "views",
    "webhooks",
];
const MOST_COLUMNS: usize = 100;

/// The tracked files with one of these endings, with their content.
fn files(ends: &[&str]) -> Vec<(String, String)> {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(ROOT)
        .output()
        .unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let files = listed
        .split('\0')
        .filter(|path| ends.iter().any(|end| path.ends_with(end)));
    let files = files.filter_map(|path| {
        let text = fs::read_to_string(Path::new(ROOT).join(path)).ok()?;
        Some((path.to_owned(), text))
    });
    files.collect()
}

/// The comment of a line of Rust, and the texts in quotation marks.
fn prose(line: &str) -> Vec<&str> {
    if line.trim_start().starts_with("//") {
        return vec![line];
    }
    let quoted: Vec<_> = line.split('"').skip(1).step_by(2).collect();
    match line.split_once(" // ") {
        Some((_, comment)) if quoted.is_empty() => vec![comment],
        _ => quoted,
    }
}

/// A document without code and the targets of its links.
fn without_code(text: &str) -> String {
    let mut is_code = false;
    let prose = text.lines().map(|line| {
        is_code ^= line.trim_start().starts_with("```");
        if is_code {
            return String::new();
        }
        let spans = line.split('`').step_by(2).collect::<Vec<_>>().join(" ");
        let links = spans.split("](").enumerate().map(|(at, part)| match at {
            0 => part,
            _ => part.split_once(')').map_or("", |(_, rest)| rest),
        });
        links.collect::<Vec<_>>().join(" ")
    });
    prose.collect::<Vec<_>>().join("\n")
}

fn refused<'a>(path: &str, texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let words = texts
        .into_iter()
        .flat_map(|it| it.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let words = words.map(str::to_lowercase).filter(|word| {
        let is_exception = |(of, start): &(&str, &str)| of == word && path.starts_with(start);
        REFUSED.contains(&word.as_str()) && !EXCEPTIONS.iter().any(is_exception)
    });
    words.collect()
}

fn is_test(path: &str) -> bool {
    let parts: Vec<_> = path.split('/').collect();
    parts[0] == "tests"
        || parts
            .iter()
            .any(|it| ["tests", "testing", "fuzz", "examples", "simulation"].contains(it))
        || path.ends_with("tests.rs")
        || path.starts_with("crates/xtask/tests")
}

#[test]
fn words_that_have_to_be_read_twice_are_refused() {
    let mut violations = Vec::new();
    for (path, text) in files(&[".rs", ".md", ".html", "llms.txt", "texts.json"]) {
        if path.starts_with("crates/adapters-llm/src/prompt/") || path.contains("/data/") {
            continue;
        }
        let has_ending = |ending| Path::new(&path).extension().is_some_and(|it| it == ending);
        let text = if has_ending("md") {
            without_code(&text)
        } else {
            text
        };
        for (at, line) in text.lines().enumerate() {
            let found = match has_ending("rs") {
                true if is_test(&path) && !line.trim_start().starts_with("//") => Vec::new(),
                true => refused(&path, prose(line)),
                false => refused(&path, [line]),
            };
            violations.extend(
                found
                    .iter()
                    .map(|word| format!("{path}:{}: {word}", at + 1)),
            );
        }
    }
    assert_none(&violations);
}

#[test]
fn comments_fit_a_hundred_columns() {
    let mut violations = Vec::new();
    for (path, text) in files(&[".rs"]) {
        for (at, line) in text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//") && !line.contains("://");
            if is_comment && line.chars().count() > MOST_COLUMNS {
                violations.push(format!("{path}:{}", at + 1));
            }
        }
    }
    assert_none(&violations);
}

/// The words of a name or of a sentence, without plural endings and words that say nothing.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    for c in text.chars() {
        if c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.extend(c.to_lowercase());
    }
    let words = spaced.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|it| !["", "a", "an", "in", "its", "of", "the", "this"].contains(it));
    words
        .map(|it| it.trim_end_matches('s').to_owned())
        .collect()
}

/// The name that a line declares, of a field or an item.
fn declared(line: &str) -> Option<&str> {
    let skipped = [
        "pub", "async", "const", "fn", "struct", "enum", "trait", "type", "mod", "static",
    ];
    let names = line
        .split([' ', '(', ':', '<', ',', '{', ';', ')'])
        .filter(|it| !it.is_empty());
    let mut names = names.skip_while(|it| skipped.contains(it) || ["crate", "super"].contains(it));
    names
        .next()
        .filter(|name| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

#[test]
fn documentation_says_more_than_the_name() {
    let mut violations = Vec::new();
    for (path, text) in files(&[".rs"]) {
        if DOCUMENTED
            .iter()
            .any(|name| path.starts_with(&format!("crates/{name}/")))
        {
            continue;
        }
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let is_doc = |it: Option<&&str>| it.is_some_and(|line| line.starts_with("///"));
            let around = [
                at.checked_sub(1).and_then(|it| lines.get(it)),
                lines.get(at + 1),
            ];
            if !line.starts_with("///") || around.into_iter().any(is_doc) {
                continue;
            }
            let item = lines[at + 1..].iter().find(|line| !line.starts_with("#["));
            // The OpenAPI document shows clients the comment of a field with a value.
            let item = item.filter(|line| !line.contains(" = ") || line.contains("const "));
            let Some(name) = item.and_then(|line| declared(line)) else {
                continue;
            };
            let (doc, name) = (words(&line[3..]), words(name));
            if !doc.is_empty() && doc.iter().all(|word| name.contains(word)) {
                violations.push(format!("{path}:{}: {line}", at + 1));
            }
        }
    }
    assert_none(&violations);
}

fn anchor(heading: &str) -> String {
    let title = without_code(&heading.replace('`', ""))
        .trim()
        .to_lowercase()
        .replace(' ', "-");
    title
        .chars()
        .filter(|c| c.is_alphanumeric() || "-_".contains(*c))
        .collect()
}

fn anchors(text: &str) -> Vec<String> {
    let mut is_code = false;
    let headings = text.lines().filter_map(|line| {
        is_code ^= line.trim_start().starts_with("```");
        let title = line.strip_prefix('#').filter(|_| !is_code)?;
        Some(anchor(title.trim_start_matches('#').trim()))
    });
    headings.collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    let documents = files(&[".md"]);
    let mut violations = Vec::new();
    for (path, text) in &documents {
        let folder = Path::new(path).parent().unwrap();
        let blocks = text.split("```").step_by(2);
        let targets = blocks.flat_map(|it| it.split("](").skip(1));
        let targets = targets.filter_map(|it| it.split_once(')').map(|(target, _)| target));
        for target in targets.filter(|it| !it.contains("://") && !it.starts_with('/')) {
            let (file, part) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() {
                Path::new(ROOT).join(path)
            } else {
                Path::new(ROOT).join(folder).join(file)
            };
            let is_there = match fs::read_to_string(&file) {
                Ok(text) => part.is_empty() || anchors(&text).iter().any(|it| it == part),
                Err(_) => file.exists(),
            };
            if !is_there {
                violations.push(format!("{path}: {target}"));
            }
        }
    }
    assert_none(&violations);
}

#[test]
fn a_page_of_the_documentation_begins_with_its_purpose() {
    let mut violations = Vec::new();
    for (path, text) in files(&[".md"]) {
        let is_page = path.starts_with("docs/") && !path.starts_with("docs/adr/0");
        let first = text.lines().nth(2).unwrap_or_default();
        if is_page && !first.starts_with("For ") && path != "docs/reference.md" {
            violations.push(format!("{path}: {first}"));
        }
    }
    assert_none(&violations);
}

#[test]
fn what_the_rules_refuse_is_found() {
    assert_eq!(refused("a.rs", prose("x(\"Mend it\"); // told")), ["mend"]);
    assert_eq!(refused("a.rs", prose("told(x); // whoever")), ["whoever"]);
    assert!(
        refused(
            "a.md",
            slice::from_ref(&&*without_code("`told` [a](told.md)"))
                .iter()
                .copied()
        )
        .is_empty()
    );
    assert_eq!(declared("pub(crate) fn request_id("), Some("request_id"));
    assert_eq!(words("The ids of RequestId."), ["id", "request", "id"]);
    assert_eq!(anchor(" `posthaste push`, or not"), "posthaste-push-or-not");
}
