//! The account that runs PostgreSQL, which refuses to run as root.

use std::fs;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use rustix::process::geteuid;

pub struct Account {
    /// `None` if this program is not root.
    ids: Option<(u32, u32)>,
}

impl Account {
    pub fn for_server() -> Result<Self> {
        if !geteuid().is_root() {
            return Ok(Self { ids: None });
        }
        let passwd = fs::read_to_string("/etc/passwd").context("cannot read /etc/passwd")?;
        ["postgres", "nobody"]
            .into_iter()
            .find_map(|user| ids_of(user, &passwd))
            .map(|ids| Self { ids: Some(ids) })
            .context("PostgreSQL cannot run as root, and there is no user postgres or nobody")
    }

    pub fn own(&self, path: &Path) -> Result<()> {
        if let Some((user, group)) = self.ids {
            chown(path, Some(user), Some(group))
                .with_context(|| format!("cannot hand {} to the server", path.display()))?;
        }
        Ok(())
    }

    /// Returns a command that the account runs, in a folder that it may enter.
    pub fn command(&self, program: &Path, directory: &Path) -> Command {
        let mut command = if cfg!(target_os = "linux") {
            // The kernel sends SIGINT to the child when its parent thread dies, even by SIGKILL.
            let mut command = Command::new("setpriv");
            command.args(["--pdeathsig", "INT"]);
            if let Some((user, group)) = self.ids {
                command
                    .args(["--reuid", &user.to_string(), "--regid", &group.to_string()])
                    .arg("--clear-groups");
            }
            command.arg("--").arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(directory);
        command
    }
}

fn ids_of(user: &str, passwd: &str) -> Option<(u32, u32)> {
    passwd.lines().find_map(|line| {
        let fields = line.split(':').collect::<Vec<_>>();
        match fields.as_slice() {
            [name, _, user_id, group_id, ..] if *name == user => {
                Some((user_id.parse().ok()?, group_id.parse().ok()?))
            }
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_ids_come_from_the_passwd_file() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\n\
            postgres:x:101:104:PostgreSQL:/var/lib/postgresql:/bin/bash\n";
        assert_eq!(ids_of("postgres", passwd), Some((101, 104)));
        assert_eq!(ids_of("nobody", passwd), None);
    }
}
