//! Databases of the private cluster: made, asked and dropped with psql.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use pg_cluster::Cluster;

use crate::{child, cpu};
use xtask::packages;
use xtask::process::Interrupt;

/// Settings that differ from the server's defaults. A checkpoint in the middle of one
/// measurement and not of the next would compare nothing.
const SETTINGS: &str = "ALTER SYSTEM SET max_wal_size = '8GB';
    ALTER SYSTEM SET min_wal_size = '4GB';
    ALTER SYSTEM SET checkpoint_timeout = '30min';
    SELECT pg_reload_conf();";
/// Fills the log with segments that the next checkpoint leaves to be used again. A server that has
/// run for a while has them; a new one would stop all commits every 16 MB to make another.
const USED_BEFORE: &str = "DO $$ BEGIN
    FOR segment IN 1..192 LOOP
        PERFORM pg_logical_emit_message(false, 'bench', '');
        PERFORM pg_switch_wal();
    END LOOP;
END $$";
/// Settings that say what the numbers mean.
const SHOWN: [&str; 10] = [
    "server_version",
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_sync_method",
    "shared_buffers",
    "min_wal_size",
    "max_wal_size",
    "checkpoint_timeout",
    "autovacuum",
];

/// A running cluster and the programs to talk to it.
pub struct Server {
    cluster: Cluster,
    programs: PathBuf,
    /// The process that all others of the server come from.
    pub process: u32,
}

impl Server {
    /// Starts a cluster, after installing one if need be.
    pub fn start(interrupt: &Interrupt) -> Result<Self> {
        if pg_cluster::programs().is_none() {
            packages::install(&["postgresql"], interrupt)?;
        }
        let programs = pg_cluster::programs().context("no PostgreSQL server was found")?;
        let cluster = Cluster::start(&programs)?;
        let mut server = Self {
            cluster,
            programs,
            process: 0,
        };
        let url = server.cluster.url().to_owned();
        for statement in SETTINGS.split_inclusive(';') {
            server.ask(&url, statement.trim(), interrupt)?;
        }
        let checkpointer = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'";
        let checkpointer = server.ask(&url, checkpointer, interrupt)?;
        server.process = cpu::parent(checkpointer.parse()?)?;
        server.ask(&url, USED_BEFORE, interrupt)?;
        server.settle(interrupt)?;
        Ok(server)
    }

    /// The settings that matter, as one line.
    pub fn settings(&self, interrupt: &Interrupt) -> Result<String> {
        let mut shown = Vec::new();
        for name in SHOWN {
            let value = self.ask(self.cluster.url(), &format!("SHOW {name}"), interrupt)?;
            shown.push(format!("{name} {value}"));
        }
        Ok(shown.join(", "))
    }

    /// Makes an empty database and gives its address.
    pub fn create(&self, name: &str, interrupt: &Interrupt) -> Result<String> {
        let url = self.cluster.url();
        let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        self.ask(url, &drop, interrupt)?;
        self.ask(url, &format!("CREATE DATABASE {name}"), interrupt)?;
        let (server, _) = url
            .rsplit_once('/')
            .context("the address has no database")?;
        Ok(format!("{server}/{name}"))
    }

    /// Removes a database, whoever may use it.
    pub fn remove(&self, name: &str, interrupt: &Interrupt) -> Result<()> {
        let drop = format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)");
        self.ask(self.cluster.url(), &drop, interrupt).map(drop_it)
    }

    /// Has everything written so far out of the way.
    pub fn settle(&self, interrupt: &Interrupt) -> Result<()> {
        self.ask(self.cluster.url(), "CHECKPOINT", interrupt)
            .map(drop_it)
    }

    /// The answer to one statement.
    pub fn ask(&self, url: &str, statement: &str, interrupt: &Interrupt) -> Result<String> {
        let mut command = self.psql(url);
        command.args(["--command", statement]);
        Ok(child::output(&command, interrupt)?.trim().to_owned())
    }

    /// Runs a file of statements.
    pub fn run_file(&self, url: &str, file: &Path, interrupt: &Interrupt) -> Result<()> {
        let mut command = self.psql(url);
        command.arg("--file").arg(file);
        child::output(&command, interrupt).map(drop_it)
    }

    /// One of the server's programs.
    pub fn program(&self, name: &str) -> PathBuf {
        self.programs.join(name)
    }

    fn psql(&self, url: &str) -> Command {
        let mut command = Command::new(self.program("psql"));
        command
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--set", "ON_ERROR_STOP=1", "--dbname", url]);
        command
    }
}

fn drop_it(_answer: String) {}
