//! Checks which crates may depend on each other, and which crates may use a library.
//!
//! Crates are named by their folder, as `docs/architecture.md` does.

use cargo_metadata::{DependencyKind, Metadata};

use crate::closure::{IMPURE, PURE};
use crate::{assert_none, matches, metadata};

/// A crate, or a pattern of several, and the workspace crates that it may use, also in tests. The
/// first matching row applies; everything that is not listed is forbidden.
const LAYERS: &[(&str, &[&str])] = &[
    ("crates/kernel", &[]),
    ("crates/access", &["crates/kernel"]),
    ("crates/domain", &["crates/kernel", "crates/access"]),
    (
        "crates/webhooks",
        &["crates/kernel", "crates/access", "crates/domain"],
    ),
    (
        "crates/enrichment",
        &["crates/kernel", "crates/domain", "crates/posting-text"],
    ),
    // Its store in memory is that of `domain`.
    ("crates/newsletter", &["crates/kernel", "crates/domain"]),
    ("crates/posting-text", &[]),
    ("crates/tokens", &["crates/kernel", "crates/access"]),
    ("crates/http-server", &[]),
    ("crates/runtime", &["crates/kernel"]),
    ("crates/program", &["crates/kernel", "crates/runtime"]),
    (
        "crates/ingest",
        &["crates/kernel", "crates/domain", "crates/runtime"],
    ),
    ("crates/outbound", &["crates/runtime"]),
    (
        "crates/workers",
        &[
            "crates/kernel",
            "crates/access",
            "crates/domain",
            "crates/enrichment",
            "crates/webhooks",
            "crates/newsletter",
            "crates/runtime",
            "crates/outbound",
        ],
    ),
    (
        "crates/push",
        &["crates/kernel", "crates/runtime", "crates/outbound"],
    ),
    (
        "crates/sql-common",
        &[
            "crates/kernel",
            "crates/access",
            "crates/domain",
            "crates/enrichment",
            "crates/webhooks",
            "crates/newsletter",
        ],
    ),
    (
        "crates/adapters-sqlite",
        &[
            "crates/kernel",
            "crates/access",
            "crates/domain",
            "crates/enrichment",
            "crates/webhooks",
            "crates/newsletter",
            "crates/sql-common",
        ],
    ),
    (
        "crates/adapters-postgres",
        &[
            "crates/kernel",
            "crates/access",
            "crates/domain",
            "crates/enrichment",
            "crates/webhooks",
            "crates/newsletter",
            "crates/sql-common",
        ],
    ),
    (
        "crates/adapters-mailerlite",
        &["crates/kernel", "crates/newsletter", "crates/outbound"],
    ),
    (
        "crates/adapters-llm",
        &[
            "crates/kernel",
            "crates/domain",
            "crates/enrichment",
            "crates/outbound",
        ],
    ),
    (
        "crates/adapters-otlp",
        &["crates/kernel", "crates/outbound"],
    ),
    (
        "crates/adapters-webhooks",
        &["crates/kernel", "crates/webhooks", "crates/outbound"],
    ),
    (
        "crates/adapters-*",
        &[
            "crates/kernel",
            "crates/access",
            "crates/domain",
            "crates/enrichment",
            "crates/posting-text",
            "crates/webhooks",
            "crates/newsletter",
            "crates/runtime",
            "crates/tokens",
            "crates/http-server",
        ],
    ),
    (
        "crates/app",
        &[
            "crates/program",
            "crates/kernel",
            "crates/access",
            "crates/domain",
            "crates/enrichment",
            "crates/webhooks",
            "crates/newsletter",
            "crates/adapters-*",
            "crates/ingest",
            "crates/outbound",
            "crates/runtime",
            "crates/tokens",
            "crates/workers",
            "crates/push",
        ],
    ),
    (
        "crates/simulation",
        &[
            "crates/kernel",
            "crates/access",
            "crates/domain",
            "crates/enrichment",
            "crates/webhooks",
            "crates/newsletter",
            "crates/runtime",
            "crates/ingest",
            "crates/workers",
        ],
    ),
    ("crates/pg-cluster", &[]),
    ("crates/xtask", &["crates/pg-cluster"]),
    ("crates/bench", &["crates/pg-cluster", "crates/xtask"]),
    (
        "tests",
        &[
            "crates/kernel",
            "crates/domain",
            "crates/newsletter",
            "crates/adapters-*",
            "crates/app",
            "crates/pg-cluster",
        ],
    ),
];

/// Workspace crates that a crate may use in tests and examples alone, beside those above.
const IN_TESTS: &[(&str, &str)] = &[
    // Its evaluation measures a model beside the rules.
    ("crates/adapters-llm", "crates/posting-text"),
    // Operators sign in on the store in memory.
    ("crates/access", "crates/domain"),
];

/// Libraries that only a few crates may use.
struct Confined {
    libraries: &'static [&'static str],
    to: &'static [&'static str],
    /// Whether tests of other crates may use them.
    free_in_tests: bool,
    remedy: &'static str,
}

const CONFINED: &[Confined] = &[
    Confined {
        libraries: &["diesel*", "libsqlite3-sys", "tokio-postgres*"],
        to: &[
            "crates/adapters-sqlite",
            "crates/adapters-postgres",
            "crates/sql-common",
        ],
        free_in_tests: false,
        remedy: "Only the two stores know SQL: go through the port `Store`",
    },
    Confined {
        libraries: &["oxide-auth"],
        to: &["crates/adapters-http"],
        free_in_tests: false,
        remedy: "Only adapters-http knows OAuth: put the code there",
    },
    Confined {
        libraries: &["actix*", "tracing-actix-web"],
        to: &[
            "crates/http-server",
            "crates/adapters-http",
            "crates/adapters-console",
        ],
        free_in_tests: false,
        remedy: "Only these crates know HTTP: put the code there",
    },
    Confined {
        libraries: &["reqwest"],
        to: &[
            "crates/app",
            "crates/adapters-mailerlite",
            "crates/adapters-llm",
            "crates/adapters-otlp",
            "crates/adapters-webhooks",
            "crates/outbound",
            "crates/push",
            "tests",
        ],
        free_in_tests: true,
        remedy: "Only crates that call another service need a client: go through a port",
    },
    Confined {
        libraries: &["opentelemetry*", "tracing-opentelemetry"],
        to: &["crates/adapters-otlp", "tests"],
        free_in_tests: false,
        remedy: "Only adapters-otlp knows OpenTelemetry: go through the port `Tracer`",
    },
    Confined {
        libraries: &["anyhow"],
        to: &[
            "crates/app",
            "crates/bench",
            "crates/pg-cluster",
            "crates/program",
            "crates/push",
            "crates/xtask",
            "tests",
        ],
        free_in_tests: true,
        remedy: "A library names its errors: use thiserror, or the port's error type",
    },
];

/// A dependency in a manifest: a crate of the workspace by its folder, or a library by its name in
/// the registry, even if it is renamed.
struct Use {
    member: String,
    of: String,
    in_tests: bool,
}

impl Use {
    fn violation(&self) -> Option<String> {
        let Self {
            member,
            of,
            in_tests,
        } = self;
        let is_member = of == "tests" || of.starts_with("crates/");
        if is_member {
            // A crate's tests may depend on the crate itself, to enable its features.
            let may_use = LAYERS
                .iter()
                .find(|(folder, _)| matches(&[folder], member))?
                .1;
            let is_for_tests = of == member || IN_TESTS.contains(&(member, of));
            let is_fine = matches(may_use, of) || (*in_tests && is_for_tests);
            return (!is_fine).then(|| format!("{member} depends on {of}: it may use {may_use:?}"));
        }
        let is_pure = member
            .strip_prefix("crates/")
            .is_some_and(|name| PURE.contains(&name));
        if is_pure && !in_tests && matches(IMPURE, of) {
            return Some(format!(
                "{member} depends on {of}: it is pure, so take an argument"
            ));
        }
        let broken = CONFINED.iter().find(|confined| {
            matches(confined.libraries, of)
                && !matches(confined.to, member)
                && !(confined.free_in_tests && *in_tests)
        })?;
        Some(format!("{member} depends on {of}. {}", broken.remedy))
    }
}

fn uses(metadata: &Metadata) -> Vec<Use> {
    let folder = |path: &cargo_metadata::camino::Utf8Path| {
        let inside = path.strip_prefix(&metadata.workspace_root);
        inside.unwrap_or(path).to_string()
    };
    let mut uses = Vec::new();
    for package in metadata.workspace_packages() {
        let manifest = &package.manifest_path;
        uses.extend(package.dependencies.iter().map(|dependency| {
            Use {
                member: folder(manifest.parent().unwrap()),
                of: dependency
                    .path
                    .as_deref()
                    .map_or_else(|| dependency.name.clone(), folder),
                in_tests: dependency.kind == DependencyKind::Development,
            }
        }));
    }
    uses
}

#[test]
fn crates_depend_on_each_other_and_on_libraries_as_the_tables_say() {
    let metadata = metadata();
    for package in metadata.workspace_packages() {
        let folder = package.manifest_path.parent().unwrap();
        let folder = folder.strip_prefix(&metadata.workspace_root).unwrap();
        let has_layer = LAYERS
            .iter()
            .any(|(name, _)| matches(&[name], folder.as_str()));
        assert!(
            has_layer,
            "{folder} is in no layer: add it here and to docs/architecture.md"
        );
    }
    let violations: Vec<_> = uses(&metadata).iter().filter_map(Use::violation).collect();
    assert_none(&violations);
}

#[test]
fn the_map_shows_what_each_crate_stands_on() {
    let map = include_str!("../../../../docs/architecture.md");
    let metadata = metadata();
    let inside = |folder: &cargo_metadata::camino::Utf8Path| {
        let folder = folder.strip_prefix(&metadata.workspace_root).unwrap();
        folder.to_string()
    };
    let mut missing = Vec::new();
    for package in metadata.workspace_packages() {
        let mut stands_on = Vec::new();
        for dependency in &package.dependencies {
            if dependency.kind == DependencyKind::Normal && !dependency.optional {
                let folder = dependency.path.as_deref().map(inside);
                stands_on.extend(folder.map(|folder| folder.replace("crates/", "")));
            }
        }
        stands_on.sort();
        if stands_on.is_empty() {
            stands_on.push("–".to_owned());
        }
        let folder = inside(package.manifest_path.parent().unwrap());
        let (begin, end) = (format!("| `{folder}` | "), stands_on.join(", "));
        let is_shown = map.lines().any(|row| {
            let last = row
                .strip_prefix(&begin)
                .and_then(|row| row.split('|').nth(1));
            last.is_some_and(|last| last.trim() == end)
        });
        if !is_shown {
            missing.push(format!(
                "docs/architecture.md needs the row {begin}… | {end} |"
            ));
        }
    }
    assert_none(&missing);
}

#[test]
fn what_the_tables_forbid_is_found() {
    let cases = [
        ("crates/domain", "crates/adapters-sqlite", true),
        ("crates/domain", "dev:crates/adapters-sqlite", true),
        ("crates/adapters-llm", "crates/posting-text", true),
        ("crates/adapters-llm", "dev:crates/posting-text", false),
        ("crates/domain", "dev:crates/domain", false),
        ("crates/domain", "crates/domain", true),
        ("crates/domain", "tokio", true),
        ("crates/domain", "dev:diesel", true),
        ("crates/domain", "dev:proptest", false),
        ("crates/kernel", "crates/domain", true),
        ("crates/access", "crates/domain", true),
        ("crates/access", "dev:crates/domain", false),
        ("crates/domain", "crates/enrichment", true),
        ("crates/domain", "crates/webhooks", true),
        ("crates/enrichment", "crates/posting-text", false),
        ("crates/enrichment", "tokio", true),
        ("crates/newsletter", "crates/kernel", false),
        ("crates/newsletter", "crates/webhooks", true),
        ("crates/newsletter", "tokio", true),
        ("crates/posting-text", "crates/domain", true),
        ("crates/posting-text", "tokio", true),
        ("crates/adapters-postgres", "crates/sql-common", false),
        ("crates/adapters-http", "crates/sql-common", true),
        ("crates/adapters-http", "crates/adapters-sqlite", true),
        ("crates/adapters-http", "crates/outbound", true),
        ("crates/adapters-http", "reqwest", true),
        ("crates/adapters-http", "dev:reqwest", false),
        ("crates/adapters-sqlite", "dev:actix-rt", true),
        ("crates/adapters-console", "actix-web", false),
        ("crates/adapters-console", "oxide-auth", true),
        ("crates/adapters-console", "crates/adapters-http", true),
        ("crates/adapters-mailerlite", "crates/outbound", false),
        ("crates/adapters-webhooks", "crates/newsletter", true),
        ("crates/outbound", "anyhow", true),
        ("crates/app", "diesel-async", true),
        ("crates/app", "crates/adapters-sqlite", false),
        ("crates/app", "crates/xtask", true),
        ("tests", "dev:crates/xtask", true),
        ("tests", "dev:crates/pg-cluster", false),
    ];
    for (member, of, is_forbidden) in cases {
        let found = Use {
            member: member.to_owned(),
            of: of.trim_start_matches("dev:").to_owned(),
            in_tests: of.starts_with("dev:"),
        };
        assert_eq!(
            found.violation().is_some(),
            is_forbidden,
            "{member} on {of}"
        );
    }
}
