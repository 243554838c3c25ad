//! The parts of `cargo xtask test`: packages are installed while everything is compiled, and the
//! Rust tests, which mostly wait, run next to everything else.

use std::env;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::{Context, Result};
use pg_cluster::Cluster;

use crate::checks::Checks;
use crate::needs;
use crate::part::Part;
use xtask::process::{Interrupt, cargo, shown};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const POSTGRES_URL: &str = "POSTHASTE_TEST_POSTGRES_URL";
const PROGRAM: &str = "POSTHASTE_BIN";
/// The default seed of property tests. It is fixed, so that a failure is due to a change and not to
/// chance.
const SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "20261120");
const THREADS: &str = "RUST_TEST_THREADS";
const ALERTS: [[&str; 3]; 2] = [
    ["check", "rules", "alerts.yaml"],
    ["test", "rules", "alerts.test.yaml"],
];

/// Runs these parts on two sides in parallel. A failure ends its own side at once.
pub fn run(parts: &[Part]) -> Result<()> {
    let interrupt = Interrupt::install()?;
    let (root, wants) = (Path::new(ROOT), |part| parts.contains(&part));
    let wants_others = wants(Part::Python) || wants(Part::Node);
    // Cargo puts the programs for the tests into the same folder as this one.
    let here = env::current_exe().context("where is this program?")?;
    let target = here.ancestors().nth(2);
    let target = target.context("it is in no target folder")?;
    let prepare = || {
        step("what this machine lacks", || needs::meet(parts, &interrupt))?;
        let install = || Checks::prepare(root, target, &interrupt);
        let prepare = || step("packages of Python and Node.js", install);
        wants_others.then(prepare).transpose()
    };
    let tests = |more: &[&str]| {
        let mut tests = cargo();
        // All commands use the same features, so that everything is compiled once.
        tests
            .args(["test", "--workspace", "--all-features", "--locked"])
            .args(more)
            .current_dir(root);
        tests
    };
    let command = |name: &str, command: &mut Command| {
        let title = format!("{name}: {}", shown(command));
        step(&title, || interrupt.run(command))
    };
    let is_built = wants(Part::Rust) || wants_others;
    let compile = || command("everything", &mut tests(&["--no-run"]));
    let end_all = |_: &anyhow::Error| interrupt.set();
    let (checks, built) = beside(
        || prepare().inspect_err(end_all),
        || is_built.then(compile).transpose(),
    );
    let checks = checks?;
    built?;

    // Dropping the cluster stops its server, however this function ends.
    let cluster = match env::var_os(POSTGRES_URL) {
        None if is_built => Some(step("start PostgreSQL", Cluster::start)?),
        _ => None,
    };
    // Tests of processes and clocks mostly wait, so there are more of them than cores.
    let threads = (4 * thread::available_parallelism().map_or(1, usize::from)).to_string();
    let given = |mut command: Command| {
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
    // A step's output is printed at the end, because the Rust tests print meanwhile.
    let quiet = |name: &str, command: &mut Command| {
        let start = Instant::now();
        let said = interrupt.output(command);
        let said = said.with_context(|| format!("step \"{name}\" failed"))?;
        let took = start.elapsed().as_secs_f64();
        println!(
            "\n=== {name}: {}\n{said}--- {took:.1} s: {name}",
            shown(command)
        );
        anyhow::Ok(())
    };
    let others = || {
        for arguments in ALERTS.iter().filter(|_| wants(Part::Alerts)) {
            let mut promtool = Command::new("promtool");
            promtool.args(arguments);
            promtool.current_dir(root.join("docs/deploy"));
            quiet("alert rules", &mut promtool)?;
        }
        if wants(Part::Rust) {
            quiet("examples in documentation", &mut given(tests(&["--doc"])))?;
        }
        if let Some(checks) = checks.as_ref().filter(|_| wants(Part::Python)) {
            quiet("Python checks", given(checks.python()).current_dir(root))?;
        }
        if let Some(checks) = checks.as_ref().filter(|_| wants(Part::Node)) {
            quiet("Node.js checks", &mut given(checks.node()))?;
        }
        Ok(())
    };
    let targets = ["--lib", "--bins", "--tests", "--no-fail-fast"];
    let rust = || command("every test", &mut given(tests(&targets)));
    let (others, rust) = beside(others, || wants(Part::Rust).then(rust).transpose());
    // The log may end with output of the Rust tests.
    if let Err(error) = &others {
        println!("\nerror: {error:#}");
    }
    rust?;
    others
}

/// Runs two functions in parallel, the second one in this thread.
fn beside<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        let one = one.join();
        (
            one.unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            other,
        )
    })
}

/// Runs a step and prints its duration. An error gets the step's name as context.
fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("\n=== {name}");
    let start = Instant::now();
    let result = work().with_context(|| format!("step \"{name}\" failed"))?;
    println!("--- {:.1} s: {name}", start.elapsed().as_secs_f64());
    Ok(result)
}
