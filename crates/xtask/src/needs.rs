//! The programs that the checks need besides Rust, installed before the first check runs.

use std::path::Path;

use anyhow::Result;
use xtask::packages;
use xtask::process::Interrupt;

use crate::part::Part;

struct Need {
    purpose: &'static str,
    parts: &'static [Part],
    packages: &'static [&'static str],
    is_installed: fn() -> bool,
}

const NEEDS: [Need; 6] = [
    Need {
        purpose: "the PostgreSQL server and pooler that tests run against",
        parts: &[Part::Rust, Part::Python, Part::Node],
        packages: &["postgresql", "pgbouncer"],
        // Needed even with a given server: some tests restart and kill their own server.
        is_installed: || pg_cluster::programs().is_some(),
    },
    Need {
        purpose: "promtool, which tries the alert rules and the metrics",
        parts: &[Part::Alerts, Part::Rust],
        packages: &["prometheus"],
        is_installed: || has("promtool"),
    },
    Need {
        purpose: "the client and the proxies of the HTTP tests",
        parts: &[Part::Rust],
        packages: &["curl", "nginx", "caddy"],
        is_installed: || ["curl", "nginx", "caddy"].into_iter().all(has),
    },
    Need {
        purpose: "Python with virtual environments, for third-party clients and for Node.js",
        parts: &[Part::Python, Part::Node],
        packages: &["python3", "python3-venv"],
        is_installed: || crate::checks::python().is_some(),
    },
    Need {
        purpose: "what the commands in the documents call",
        parts: &[Part::Python],
        packages: &["curl", "jq", "openssl"],
        is_installed: || ["curl", "jq", "openssl"].into_iter().all(has),
    },
    Need {
        purpose: "a browser, which looks at the pages",
        parts: &[Part::Python],
        packages: &["chromium", "chromium-driver"],
        is_installed: || ["chromium", "chromedriver"].into_iter().all(has),
    },
];

/// Whether a program exists. Debian keeps servers in folders that only root has in `PATH`.
fn has(program: &str) -> bool {
    packages::find(program).is_some() || Path::new("/usr/sbin").join(program).is_file()
}

pub fn meet(parts: &[Part], interrupt: &Interrupt) -> Result<()> {
    let is_missing =
        |need: &&Need| need.parts.iter().any(|part| parts.contains(part)) && !(need.is_installed)();
    let missing: Vec<_> = NEEDS.iter().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("This machine lacks:");
    for need in &missing {
        println!("- {}: {}", need.packages.join(", "), need.purpose);
    }
    let packages: Vec<_> = missing
        .iter()
        .flat_map(|need| need.packages)
        .copied()
        .collect();
    packages::install(&packages, interrupt)
}
