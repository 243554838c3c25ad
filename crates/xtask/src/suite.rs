//! The parts of `cargo xtask test`, quick checks first.

use std::env;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use pg_cluster::Cluster;

use crate::part::Part;
use crate::{needs, node, python};
use xtask::process::{Interrupt, cargo, shown};

/// The folder of the workspace, wherever the command was typed.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The variable with the URL of the PostgreSQL server for tests.
const POSTGRES_URL: &str = "POSTHASTE_TEST_POSTGRES_URL";
/// The variable with the path of the built program.
const PROGRAM: &str = "POSTHASTE_BIN";
/// The variable with the path of axe-core's script.
const AXE: &str = "POSTHASTE_AXE";
/// The seed of property tests, unless the caller sets another one, so that a failure is due to the
/// change and not to chance. `cargo test` itself uses a new seed each time.
const SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "20261120");
/// The variable with the number of tests of a binary that run concurrently.
const THREADS: &str = "RUST_TEST_THREADS";

/// Runs these parts; stops at the first step that fails.
pub fn run(parts: &[Part]) -> Result<()> {
    let interrupt = Interrupt::install()?;
    let command = |name: &str, command: &mut Command| {
        let title = format!("{name}: {}", shown(command));
        step(&title, || interrupt.run(command))
    };
    let (root, wants) = (Path::new(ROOT), |part| parts.contains(&part));

    // Cargo puts the programs for the tests into the same folder as this one.
    let here = env::current_exe().context("where is this program?")?;
    let target = here
        .ancestors()
        .nth(2)
        .context("it is in no target folder")?;
    step("what this machine lacks", || needs::meet(parts, &interrupt))?;
    if wants(Part::Alerts) {
        for arguments in [
            ["check", "rules", "alerts.yaml"],
            ["test", "rules", "alerts.test.yaml"],
        ] {
            let mut promtool = Command::new("promtool");
            promtool
                .args(arguments)
                .current_dir(root.join("docs/deploy"));
            command("alert rules", &mut promtool)?;
        }
    }
    if parts == [Part::Alerts] {
        return Ok(());
    }
    // The browser's checks take a script from a package of Node.js.
    let others = if wants(Part::Python) || wants(Part::Node) {
        let python = step("Python packages", || {
            python::prepare(root, target, &interrupt)
        })?;
        let node = step("Node.js packages", || {
            node::prepare(root, target, &python, &interrupt)
        })?;
        Some((python, node))
    } else {
        None
    };

    // Dropping it stops the server, however this function ends.
    let cluster = match env::var_os(POSTGRES_URL) {
        Some(_) => None,
        None => Some(step("start PostgreSQL", || {
            Cluster::start(&pg_cluster::programs().context("no PostgreSQL server was found")?)
        })?),
    };
    // Tests of processes and clocks mostly wait, so there are more of them than cores.
    let threads = (4 * thread::available_parallelism().map_or(1, usize::from)).to_string();
    let given = |mut command: Command| {
        if command.get_current_dir().is_none() {
            command.current_dir(root);
        }
        command.env(PROGRAM, here.with_file_name("posthaste"));
        if let Some(cluster) = &cluster {
            command.env(POSTGRES_URL, cluster.url());
        }
        for (name, value) in [SEED, (THREADS, threads.as_str())] {
            if env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        command
    };
    // One command, so that everything is compiled once. Only clippy checks the benchmark.
    let mut built = given(cargo());
    built
        .args(["test", "--workspace", "--exclude", "bench"])
        .args(["--all-features", "--locked", "--no-fail-fast"]);
    if wants(Part::Rust) {
        command("every test", &mut built)?;
    } else {
        command("the program", built.arg("--no-run"))?;
    }
    let Some((python, node)) = others else {
        return Ok(());
    };
    if wants(Part::Python) {
        let mut checks = given(python.pytest());
        checks.env(AXE, node.axe());
        command("Python checks", &mut checks)?;
    }
    if wants(Part::Node) {
        command("Node.js checks", &mut given(node.tests()))?;
    }
    Ok(())
}

/// Runs a step and prints its duration. An error gets the step's name as context.
fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("\n=== {name}");
    let start = Instant::now();
    let result = work().with_context(|| format!("step \"{name}\" failed"))?;
    println!("--- {:.1} s: {name}", start.elapsed().as_secs_f64());
    Ok(result)
}
