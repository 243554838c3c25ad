use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use super::{Cluster, data_of};

impl Cluster {
    /// Starts a standby of this server. The standby ends with the calling thread.
    pub fn standby(&self) -> Result<Self> {
        let mut standby = Self::prepare(&self.programs, self.password.clone())?;
        let status = standby
            .account
            .command(&self.program("pg_basebackup"), standby.home())
            .arg("--pgdata")
            .arg(data_of(standby.home()))
            .args(["--dbname", &self.url])
            .args(["--checkpoint=fast", "--wal-method=stream"])
            // Writes the address of the primary, and marks the copy as a standby.
            .arg("--write-recovery-conf")
            .stdin(Stdio::null())
            .status()?;
        if !status.success() {
            bail!("cannot copy the files of a server: {status}");
        }
        standby.start_again()?;
        Ok(standby)
    }

    /// Starts a standby. Then each commit of this server waits until the standby has it on disk.
    pub fn synchronous_standby(&self) -> Result<Self> {
        let standby = self.standby()?;
        // Set after the copy: otherwise a promoted standby would wait for a standby of its own.
        self.ask("ALTER SYSTEM SET synchronous_standby_names = '*'")?;
        self.ask("SELECT pg_reload_conf()")?;
        Ok(standby)
    }

    /// Resumes or pauses replay on a standby. While replay is paused, the standby lags.
    pub fn replay(&self, goes_on: bool) -> Result<()> {
        let word = if goes_on { "resume" } else { "pause" };
        self.ask(&format!("SELECT pg_wal_replay_{word}()"))
            .map(drop)
    }

    pub fn promote(&self) -> Result<()> {
        match self.ask("SELECT pg_promote()")?.as_str() {
            "t" => Ok(()),
            _ => bail!("the standby was not promoted"),
        }
    }

    pub(crate) fn ask(&self, statement: &str) -> Result<String> {
        let output = Command::new(self.program("psql"))
            .args(["--no-psqlrc", "-tA", &self.url, "-c", statement])
            .output()?;
        if !output.status.success() {
            bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }
}
