//! Checks which crates may depend on each other, and which crates may use a library.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata};

use crate::closure::{IMPURE, PURE};
use crate::{assert_none, matches, metadata};

/// The layer of crates that must not use each other, and the crate that they may share.
const APART: (&str, &str) = ("adapters", "sql-common");

/// The map in `docs/architecture.md`: the picture of the layers, and the table of the crates.
struct Map {
    layers: Vec<(&'static str, Vec<String>)>,
    depends_on: BTreeMap<&'static str, Vec<&'static str>>,
}

impl Map {
    fn read() -> Self {
        let text = include_str!("../../../../docs/architecture.md");
        let layers = text.split("```").nth(1).unwrap().trim().lines();
        let layers = layers.map(|line| {
            let (name, crates) = line.split_once("  ").unwrap();
            let crates = crates.split_whitespace();
            let crates = crates.map(|it| match it.strip_prefix('-') {
                Some(rest) => format!("{name}-{rest}"),
                None => it.to_owned(),
            });
            (name, crates.collect())
        });
        let row = |line: &'static str| {
            let (name, rest) = line.strip_prefix("| `")?.split_once('`')?;
            let (_, depends_on) = rest.strip_suffix(" |")?.rsplit_once("| ")?;
            let depends_on = depends_on.split(", ").filter(|name| *name != "–");
            Some((crate_of(name), depends_on.collect()))
        };
        let table = text
            .lines()
            .skip_while(|line| !line.starts_with("| crate |"));
        let table = table.take_while(|line| line.starts_with('|'));
        Self {
            layers: layers.collect(),
            depends_on: table.filter_map(row).collect(),
        }
    }

    /// The layer of a crate, counted from above, and its place there.
    fn place(&self, member: &str) -> Option<(usize, usize)> {
        let mut layers = self.layers.iter().enumerate();
        layers.find_map(|(layer, (_, crates))| {
            let place = crates.iter().position(|name| name == member)?;
            Some((layer, place))
        })
    }

    /// Whether a crate is drawn lower than another, or in the same layer to its right.
    fn allows(&self, member: &str, of: &str) -> bool {
        let (Some(above), Some(below)) = (self.place(member), self.place(of)) else {
            return false;
        };
        let (apart, shared) = APART;
        let are_apart = above.0 == below.0 && self.layers[above.0].0 == apart && of != shared;
        above < below && !are_apart
    }
}

fn crate_of(folder: &str) -> &str {
    folder.strip_prefix("crates/").unwrap_or(folder)
}

struct Confined {
    libraries: &'static [&'static str],
    to: &'static [&'static str],
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
            "crates/backup",
            "crates/bench",
            "crates/pg-cluster",
            "crates/cli",
            "crates/push",
            "crates/xtask",
            "tests",
        ],
        free_in_tests: true,
        remedy: "A library names its errors: use thiserror, or the port's error type",
    },
];

/// A crate of the workspace by its folder, or a library by its name in the registry.
struct Use {
    member: String,
    of: String,
    in_tests: bool,
}

impl Use {
    fn violation(&self, map: &Map) -> Option<String> {
        let Self {
            member,
            of,
            in_tests,
        } = self;
        if of == "tests" || of.starts_with("crates/") {
            let (member, of) = (crate_of(member), crate_of(of));
            let is_drawn = || {
                map.depends_on
                    .get(member)
                    .is_some_and(|on| on.contains(&of))
            };
            // A crate's tests may depend on the crate itself, to enable its features.
            let is_itself = *in_tests && member == of;
            let is_fine = is_itself || map.allows(member, of) && (*in_tests || is_drawn());
            return (!is_fine).then(|| {
                format!(
                    "{member} depends on {of}: the map in docs/architecture.md has it otherwise"
                )
            });
        }
        if PURE.contains(&crate_of(member)) && !in_tests && matches(IMPURE, of) {
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
fn crates_depend_on_each_other_and_on_libraries_as_the_map_says() {
    let (map, metadata) = (Map::read(), metadata());
    let uses = uses(&metadata);
    let mut violations: Vec<_> = uses.iter().filter_map(|it| it.violation(&map)).collect();
    let members: BTreeSet<_> = uses.iter().map(|it| crate_of(&it.member)).collect();
    for member in members {
        let now: BTreeSet<_> = uses
            .iter()
            .filter(|it| crate_of(&it.member) == member && !it.in_tests)
            .map(|it| crate_of(&it.of))
            .collect();
        match map
            .depends_on
            .get(member)
            .filter(|_| map.place(member).is_some())
        {
            Some(drawn) => violations.extend(
                drawn
                    .iter()
                    .filter(|of| !now.contains(*of))
                    .map(|of| format!("{member} does not depend on {of} any more")),
            ),
            None => violations.push(format!(
                "{member} is not on the map of docs/architecture.md"
            )),
        }
    }
    let drawn = map.layers.iter().flat_map(|(_, crates)| crates);
    let gone = drawn.filter(|name| !map.depends_on.contains_key(name.as_str()));
    violations.extend(gone.map(|name| format!("{name} is drawn and in no row")));
    assert_none(&violations);
}

#[test]
fn forbidden_dependencies_are_found() {
    let map = Map::read();
    let cases = [
        // A use upwards, a use of itself, and a pair that is in the picture but not in the table.
        ("crates/kernel", "crates/domain", true),
        ("crates/domain", "crates/domain", true),
        ("crates/domain", "dev:crates/domain", false),
        ("crates/access", "dev:crates/domain", true),
        ("crates/domain", "dev:crates/adapters-sqlite", true),
        ("crates/enrichment", "crates/posting-text", false),
        ("crates/newsletter", "crates/webhooks", true),
        ("crates/adapters-http", "crates/outbound", true),
        ("crates/adapters-llm", "dev:crates/posting-text", false),
        ("tests", "dev:crates/pg-cluster", false),
        ("crates/adapters-postgres", "crates/sql-common", false),
        ("crates/adapters-http", "crates/adapters-sqlite", true),
        ("crates/domain", "tokio", true),
        ("crates/domain", "dev:proptest", false),
        ("crates/adapters-http", "reqwest", true),
        ("crates/adapters-http", "dev:reqwest", false),
        ("crates/adapters-sqlite", "dev:actix-rt", true),
        ("crates/adapters-console", "actix-web", false),
        ("crates/app", "diesel-async", true),
    ];
    for (member, of, is_forbidden) in cases {
        let found = Use {
            member: member.to_owned(),
            of: of.trim_start_matches("dev:").to_owned(),
            in_tests: of.starts_with("dev:"),
        };
        assert_eq!(
            found.violation(&map).is_some(),
            is_forbidden,
            "{member} on {of}"
        );
    }
}
