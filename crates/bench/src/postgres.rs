use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use pg_cluster::Cluster;

use crate::cpu;
use xtask::packages;
use xtask::process::Interrupt;

/// A checkpoint during only some of the measurements would make them incomparable.
const SETTINGS: &str = "ALTER SYSTEM SET max_wal_size = '8GB';
    ALTER SYSTEM SET min_wal_size = '4GB';
    ALTER SYSTEM SET checkpoint_timeout = '30min';
    SELECT pg_reload_conf();";
/// Writes WAL segments that the next checkpoint recycles. Without them, a new server delays commits
/// every 16 MB.
const USED_BEFORE: &str = "DO $$ BEGIN
    FOR segment IN 1..192 LOOP
        PERFORM pg_logical_emit_message(false, 'bench', '');
        PERFORM pg_switch_wal();
    END LOOP;
END $$";
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

pub struct Server {
    pub interrupt: Interrupt,
    pub cluster: Cluster,
    /// The parent of all the server's processes.
    pub process: u32,
}

impl Server {
    pub fn start(interrupt: &Interrupt) -> Result<Self> {
        if pg_cluster::programs().is_none() {
            packages::install(&["postgresql"], interrupt)?;
        }
        let mut server = Self {
            interrupt: interrupt.clone(),
            cluster: Cluster::start()?,
            process: 0,
        };
        let url = server.cluster.url().to_owned();
        for statement in SETTINGS.split_inclusive(';') {
            server.ask(&url, statement.trim())?;
        }
        let checkpointer = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'";
        let checkpointer = server.ask(&url, checkpointer)?;
        server.process = cpu::parent(checkpointer.parse()?)?;
        server.ask(&url, USED_BEFORE)?;
        server.settle()?;
        Ok(server)
    }

    pub fn settings(&self) -> Result<String> {
        let mut shown = Vec::new();
        for name in SHOWN {
            let value = self.ask(self.cluster.url(), &format!("SHOW {name}"))?;
            shown.push(format!("{name} {value}"));
        }
        Ok(shown.join(", "))
    }

    pub fn create(&self, name: &str) -> Result<String> {
        let url = self.cluster.url();
        self.ask(url, &format!("CREATE DATABASE {name}"))?;
        let (server, _) = url
            .rsplit_once('/')
            .context("the address has no database")?;
        Ok(format!("{server}/{name}"))
    }

    /// Runs a checkpoint, so that earlier writes do not disturb the next measurement.
    pub fn settle(&self) -> Result<()> {
        self.ask(self.cluster.url(), "CHECKPOINT").map(drop)
    }

    pub fn ask(&self, url: &str, statement: &str) -> Result<String> {
        let mut command = self.psql(url);
        command.args(["--command", statement]);
        Ok(self.interrupt.output(&mut command)?.trim().to_owned())
    }

    pub fn run_file(&self, url: &str, file: &Path) -> Result<()> {
        let mut command = self.psql(url);
        command.arg("--file").arg(file);
        self.interrupt.output(&mut command).map(drop)
    }

    fn psql(&self, url: &str) -> Command {
        let mut command = Command::new(self.cluster.program("psql"));
        command
            .args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"])
            .args(["--set", "ON_ERROR_STOP=1", "--dbname", url]);
        command
    }
}
