//! The plan of `cargo xtask test`: what may fail soon comes first, and nothing is left out.

use std::env;
use std::process::Command;

use anyhow::{Context, Result};
use pg_cluster::Cluster;

use crate::python::Environment;
use crate::steps::Steps;
use crate::workspace::Workspace;
use crate::{python, rules};
use xtask::packages;
use xtask::process::{Interrupt, cargo};

/// How the tests learn of the PostgreSQL server.
const POSTGRES_URL: &str = "POSTHASTE_TEST_POSTGRES_URL";
/// The crate whose tests need one.
const POSTGRES_CRATE: &str = "adapters-postgres";
/// How tests find the built program.
const PROGRAM: &str = "POSTHASTE_BIN";
/// The seed of property tests, unless the caller gives another one: a run speaks of the change,
/// not of luck. `cargo test` alone draws a new one each time.
const SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "20261120");
/// The same packages and features for every command that builds the workspace, or cargo would
/// compile the dependencies anew for each.
const EVERYTHING: [&str; 3] = ["--workspace", "--all-features", "--locked"];

/// Runs every check; stops at the first step that fails.
pub fn run() -> Result<()> {
    let mut steps = Steps::new(Interrupt::install()?);
    let result = all(&mut steps);
    steps.summary();
    result
}

fn all(steps: &mut Steps) -> Result<()> {
    let workspace = steps.run("workspace metadata", |_| Workspace::load())?;
    steps.run("dependency rules", |_| rules::check(&workspace))?;
    let needs_postgres = workspace.has_member(POSTGRES_CRATE);
    let needs_cluster = needs_postgres && env::var_os(POSTGRES_URL).is_none();
    // Even where a server is given: some tests restart and kill one of their own.
    let environment = prepare(steps, &workspace, needs_postgres)?;

    let in_root = |mut command: Command| {
        command.current_dir(workspace.root());
        command
    };
    let cargo = || {
        let mut command = in_root(cargo());
        if env::var_os(SEED.0).is_none() {
            command.env(SEED.0, SEED.1);
        }
        command
    };
    let program = workspace.target().join("debug/posthaste");

    // Alone, so with the features that it asks for itself, and with no server to be found.
    steps.tests(
        "domain alone",
        cargo()
            .args(["test", "--package", "domain", "--locked", "--no-fail-fast"])
            .env_remove(POSTGRES_URL)
            .env_remove("DATABASE_URL"),
    )?;
    // Tests ask dependencies for features that the program does not, hence all targets at once.
    steps.command(
        "build",
        cargo().arg("build").args(EVERYTHING).arg("--all-targets"),
    )?;
    if pg_cluster::programs().is_some() {
        steps.tests(
            "throwaway cluster",
            cargo()
                .args(["test", "--package", "pg-cluster", "--locked"])
                .args(["--", "--ignored"]),
        )?;
    }

    // Dropping it stops the server, however this function ends.
    let cluster = if needs_cluster {
        Some(steps.run("start PostgreSQL", |_| {
            let programs = pg_cluster::programs().context("no PostgreSQL server was found")?;
            Cluster::start(&programs)
        })?)
    } else {
        None
    };
    let given = |mut command: Command| {
        command.env(PROGRAM, &program);
        if let Some(cluster) = &cluster {
            command.env(POSTGRES_URL, cluster.url());
        }
        command
    };
    let mut every_test = given(cargo());
    every_test
        .arg("test")
        .args(EVERYTHING)
        .arg("--no-fail-fast");
    steps.tests("every test", &mut every_test)?;
    if let Some(environment) = environment {
        steps.tests("Python checks", &mut given(in_root(environment.pytest())))?;
    }
    Ok(())
}

/// Installs what this machine lacks, before the long work begins.
fn prepare(
    steps: &mut Steps,
    workspace: &Workspace,
    needs_postgres: bool,
) -> Result<Option<Environment>> {
    if needs_postgres && pg_cluster::programs().is_none() {
        steps.run("install PostgreSQL", |interrupt| {
            packages::install(&["postgresql", "pgbouncer"], interrupt)
        })?;
    }
    let root = workspace.root().as_std_path();
    if !python::has_checks(root) {
        return Ok(None);
    }
    let environment = steps.run("Python packages", |interrupt| {
        python::prepare(root, workspace.target().as_std_path(), interrupt)
    })?;
    Ok(Some(environment))
}
