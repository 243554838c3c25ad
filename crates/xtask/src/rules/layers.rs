//! Which crate of the workspace may depend on which, and where a library may be used.
//!
//! Crates are named by their folder, as `docs/architecture.md` does. Dependencies of tests are
//! told apart from those that are shipped (normal and build dependencies).

use cargo_metadata::DependencyKind;

use super::{PURE, Violation, matches_any};
use crate::workspace::Workspace;

const RULE: &str = "layers";

/// A crate, or several of a kind, and the workspace crates that it may use.
struct Layer {
    folder: &'static str,
    may_use: &'static [&'static str],
}

/// Everything that is not listed is forbidden, in tests as well.
const LAYERS: &[Layer] = &[
    Layer {
        folder: "crates/domain",
        may_use: &[],
    },
    Layer {
        folder: "crates/newsletter",
        may_use: &["crates/domain"],
    },
    Layer {
        folder: "crates/outbound",
        may_use: &[],
    },
    // The first that matches holds: these two call somebody else's service.
    Layer {
        folder: "crates/adapters-mailerlite",
        may_use: &["crates/domain", "crates/newsletter", "crates/outbound"],
    },
    Layer {
        folder: "crates/adapters-enrichment",
        may_use: &["crates/domain", "crates/outbound"],
    },
    Layer {
        folder: "crates/adapters-*",
        may_use: &["crates/domain", "crates/newsletter"],
    },
    Layer {
        folder: "crates/app",
        may_use: &[
            "crates/domain",
            "crates/newsletter",
            "crates/adapters-*",
            "crates/outbound",
        ],
    },
    Layer {
        folder: "crates/xtask",
        may_use: &[],
    },
    Layer {
        folder: "tests",
        // The chores have a server that tests may restart and kill.
        may_use: &[
            "crates/domain",
            "crates/newsletter",
            "crates/adapters-*",
            "crates/app",
            "crates/xtask",
        ],
    },
];

/// Libraries that belong in a few crates only.
struct Confined {
    libraries: &'static [&'static str],
    to: &'static [&'static str],
    /// Whether a test elsewhere may use them.
    free_in_tests: bool,
    remedy: &'static str,
}

const CONFINED: &[Confined] = &[
    Confined {
        libraries: &[
            "diesel",
            "diesel-*",
            "diesel_*",
            "libsqlite3-sys",
            "tokio-postgres*",
        ],
        to: &["crates/adapters-sqlite", "crates/adapters-postgres"],
        free_in_tests: false,
        remedy: "Only the two stores know SQL: go through the port `Store`",
    },
    Confined {
        libraries: &[
            "actix",
            "actix-*",
            "tracing-actix-web",
            "oxide-auth",
            "chrono",
        ],
        to: &["crates/adapters-http"],
        free_in_tests: false,
        remedy: "Only adapters-http knows HTTP and OAuth: put the code there",
    },
    Confined {
        libraries: &["reqwest"],
        to: &[
            "crates/app",
            "crates/adapters-mailerlite",
            "crates/adapters-enrichment",
            "crates/outbound",
            "tests",
        ],
        free_in_tests: true,
        remedy: "Only crates that call somebody else's service need a client: go through a port",
    },
    Confined {
        libraries: &["anyhow"],
        to: &["crates/app", "crates/xtask", "tests"],
        free_in_tests: true,
        remedy: "A library names its errors: use thiserror, or the port's error type",
    },
];

/// What pure crates must not ask for themselves; `closure` looks at what they get indirectly.
const NOT_IN_PURE: Confined = Confined {
    libraries: super::closure::IMPURE,
    to: &[],
    free_in_tests: true,
    remedy: "The crate is pure: take time, ids and data as arguments, and leave the rest to an \
             adapter",
};

/// A crate of the workspace and what its manifest asks for.
#[derive(Debug)]
pub struct Member {
    folder: String,
    uses: Vec<Use>,
}

#[derive(Debug)]
struct Use {
    target: Target,
    in_tests_only: bool,
}

#[derive(Debug)]
enum Target {
    /// A crate of the workspace, by its folder.
    Member(String),
    /// Somebody else's, by its name in the registry, whatever it is renamed to.
    Library(String),
}

/// What cargo knows of the members.
pub fn members(workspace: &Workspace) -> Vec<Member> {
    let uses = |dependency: &cargo_metadata::Dependency| Use {
        target: match &dependency.path {
            Some(path) => Target::Member(workspace.relative(path).to_string()),
            None => Target::Library(dependency.name.clone()),
        },
        in_tests_only: dependency.kind == DependencyKind::Development,
    };
    workspace
        .members()
        .into_iter()
        .map(|package| {
            let manifest = &package.manifest_path;
            let folder = workspace.relative(manifest.parent().unwrap_or(manifest));
            Member {
                folder: folder.to_string(),
                uses: package.dependencies.iter().map(uses).collect(),
            }
        })
        .collect()
}

/// Every dependency that the tables above do not allow.
pub fn check(members: &[Member]) -> Vec<Violation> {
    members.iter().flat_map(check_member).collect()
}

fn check_member(member: &Member) -> Vec<Violation> {
    let folder = member.folder.as_str();
    let violation = |found: String, remedy: &str| Violation {
        subject: folder.to_owned(),
        rule: RULE,
        found,
        remedy: remedy.to_owned(),
    };
    let Some(layer) = LAYERS
        .iter()
        .find(|layer| matches_any(&[layer.folder], folder))
    else {
        return vec![violation(
            "is in no layer".to_owned(),
            "Add it to LAYERS in crates/xtask/src/rules/layers.rs and to docs/architecture.md",
        )];
    };
    let mut violations = Vec::new();
    for used in &member.uses {
        match &used.target {
            // A crate's tests may switch on features of the crate itself.
            Target::Member(other) if other == folder && used.in_tests_only => {}
            Target::Member(other) => {
                if !matches_any(layer.may_use, other) {
                    let remedy = match layer.may_use {
                        [] => "It may use no crate of the workspace".to_owned(),
                        some => format!("It may use {} only", some.join(", ")),
                    };
                    violations.push(violation(format!("depends on {other}"), &remedy));
                }
            }
            Target::Library(library) => {
                let core = PURE.contains(&folder).then_some(&NOT_IN_PURE);
                // The narrower rule has the better advice; one answer per library is enough.
                let broken = core.into_iter().chain(CONFINED).find(|confined| {
                    matches_any(confined.libraries, library)
                        && !matches_any(confined.to, folder)
                        && !(confined.free_in_tests && used.in_tests_only)
                });
                if let Some(confined) = broken {
                    violations.push(violation(format!("depends on {library}"), confined.remedy));
                }
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crate written as its folder and its dependencies: `dev:` marks those of tests, a slash a
    /// member's folder (`tests` has none and nobody may use it).
    fn found(folder: &str, uses: &[&str]) -> Vec<String> {
        let uses = uses.iter().map(|name| {
            let (in_tests_only, name) = match name.strip_prefix("dev:") {
                Some(name) => (true, name),
                None => (false, *name),
            };
            let target = if name.contains('/') {
                Target::Member(name.to_owned())
            } else {
                Target::Library(name.to_owned())
            };
            Use {
                target,
                in_tests_only,
            }
        });
        let member = Member {
            folder: folder.to_owned(),
            uses: uses.collect(),
        };
        check(&[member])
            .into_iter()
            .map(|violation| violation.found)
            .collect()
    }

    #[test]
    fn what_the_layers_allow() {
        let cases: &[(&str, &[&str])] = &[
            (
                "crates/domain",
                &["serde", "time", "dev:crates/domain", "dev:proptest"],
            ),
            ("crates/newsletter", &["crates/domain", "serde", "time"]),
            (
                "crates/adapters-sqlite",
                &[
                    "crates/domain",
                    "crates/newsletter",
                    "diesel",
                    "diesel_migrations",
                    "tokio",
                ],
            ),
            (
                "crates/adapters-postgres",
                &["crates/domain", "diesel-async"],
            ),
            (
                "crates/adapters-http",
                &["crates/domain", "actix-web", "oxide-auth", "dev:reqwest"],
            ),
            (
                "crates/adapters-enrichment",
                &["crates/domain", "crates/outbound", "reqwest", "dev:anyhow"],
            ),
            (
                "crates/adapters-mailerlite",
                &["crates/newsletter", "crates/outbound", "reqwest"],
            ),
            ("crates/outbound", &["reqwest", "rustls"]),
            (
                "crates/app",
                &[
                    "crates/domain",
                    "crates/adapters-sqlite",
                    "crates/outbound",
                    "anyhow",
                    "reqwest",
                ],
            ),
            ("crates/xtask", &["anyhow", "clap"]),
            (
                "tests",
                &[
                    "crates/app",
                    "crates/adapters-http",
                    "dev:crates/xtask",
                    "dev:reqwest",
                    "anyhow",
                ],
            ),
        ];
        for (folder, uses) in cases {
            assert_eq!(found(folder, uses), [""; 0], "{folder}");
        }
    }

    #[test]
    fn what_the_layers_forbid() {
        let cases = [
            ("crates/domain", "crates/adapters-sqlite"),
            ("crates/domain", "dev:crates/adapters-sqlite"),
            ("crates/domain", "crates/domain"),
            ("crates/domain", "crates/newsletter"),
            ("crates/newsletter", "crates/outbound"),
            ("crates/newsletter", "dev:crates/adapters-sqlite"),
            ("crates/newsletter", "tokio"),
            ("crates/adapters-enrichment", "crates/newsletter"),
            ("crates/domain", "tokio"),
            ("crates/domain", "diesel"),
            ("crates/domain", "dev:diesel"),
            ("crates/domain", "actix-web"),
            ("crates/domain", "ring"),
            ("crates/domain", "rand"),
            ("crates/domain", "getrandom"),
            ("crates/domain", "anyhow"),
            ("crates/domain", "chrono"),
            ("crates/adapters-http", "crates/adapters-sqlite"),
            ("crates/adapters-http", "dev:crates/adapters-sqlite"),
            ("crates/adapters-http", "crates/app"),
            ("crates/adapters-http", "diesel"),
            ("crates/adapters-http", "reqwest"),
            ("crates/adapters-http", "anyhow"),
            ("crates/adapters-sqlite", "actix-web"),
            ("crates/adapters-sqlite", "dev:actix-rt"),
            ("crates/adapters-sqlite", "crates/outbound"),
            ("crates/adapters-http", "crates/outbound"),
            ("crates/adapters-enrichment", "crates/adapters-mailerlite"),
            ("crates/outbound", "crates/domain"),
            ("crates/outbound", "anyhow"),
            ("crates/app", "diesel-async"),
            ("crates/app", "libsqlite3-sys"),
            ("crates/app", "actix-web"),
            ("crates/app", "crates/xtask"),
            ("crates/xtask", "crates/domain"),
            ("tests", "diesel"),
            ("crates/adapters-http", "dev:crates/xtask"),
        ];
        for (folder, used) in cases {
            let expected = format!("depends on {}", used.trim_start_matches("dev:"));
            assert_eq!(found(folder, &[used]), [expected], "{folder} on {used}");
        }
    }

    #[test]
    fn a_crate_without_a_layer_is_refused() {
        assert_eq!(found("crates/helpers", &[]), ["is in no layer"]);
    }
}
