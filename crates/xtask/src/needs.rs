//! What the checks need of a machine beside Rust, said and installed before the first of them runs.

use std::path::Path;

use anyhow::Result;
use xtask::packages;
use xtask::process::Interrupt;

use crate::part::Part;

/// Something that a machine may lack.
struct Need {
    /// What it is for.
    purpose: &'static str,
    /// The parts of the suite that use it.
    parts: &'static [Part],
    /// The Debian packages that bring it.
    packages: &'static [&'static str],
    is_there: fn() -> bool,
}

const NEEDS: [Need; 6] = [
    Need {
        purpose: "the PostgreSQL server and pooler that tests run against",
        parts: &[Part::Rust, Part::Python, Part::Node],
        packages: &["postgresql", "pgbouncer"],
        // Even if a server is given: some tests restart and kill a server of their own.
        is_there: || pg_cluster::programs().is_some(),
    },
    Need {
        purpose: "promtool, which tries the alert rules",
        parts: &[Part::Alerts],
        packages: &["prometheus"],
        is_there: || has("promtool"),
    },
    Need {
        purpose: "the client and the proxies of the HTTP tests",
        parts: &[Part::Rust],
        packages: &["curl", "nginx", "caddy"],
        is_there: || ["curl", "nginx", "caddy"].into_iter().all(has),
    },
    Need {
        purpose: "Python with virtual environments, for third-party clients and for Node.js",
        parts: &[Part::Python, Part::Node],
        packages: &["python3", "python3-venv"],
        is_there: || crate::checks::python().is_some(),
    },
    Need {
        purpose: "what the commands in the documents call",
        parts: &[Part::Python],
        packages: &["curl", "jq", "openssl"],
        is_there: || ["curl", "jq", "openssl"].into_iter().all(has),
    },
    Need {
        purpose: "a browser, which looks at the pages",
        parts: &[Part::Python],
        packages: &["chromium", "chromium-driver"],
        is_there: || ["chromium", "chromedriver"].into_iter().all(has),
    },
];

/// Whether a program is there. Debian keeps servers where only root looks.
fn has(program: &str) -> bool {
    packages::find(program).is_some() || Path::new("/usr/sbin").join(program).is_file()
}

/// Says what these parts need and this machine lacks, and installs it.
pub fn meet(parts: &[Part], interrupt: &Interrupt) -> Result<()> {
    let is_missing =
        |need: &&Need| need.parts.iter().any(|part| parts.contains(part)) && !(need.is_there)();
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
