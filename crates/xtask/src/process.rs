//! Child processes that end when this program is asked to end.
//!
//! Every child leads its own process group, so that a signal from the terminal reaches only this
//! program. This program then ends the whole group, and returns an ordinary error.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, iter};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

const POLL: Duration = Duration::from_millis(50);
/// The time from SIGTERM to SIGKILL for a child that does not end.
const GRACE: Duration = Duration::from_secs(5);

/// A flag that Ctrl-C, SIGTERM or a closed terminal sets.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    pub fn install() -> Result<Self> {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&interrupt.0))
                .context("cannot handle signals")?;
        }
        Ok(interrupt)
    }

    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            bail!("interrupted");
        }
        Ok(())
    }

    pub fn run(&self, command: &mut Command) -> Result<()> {
        let mut child = command
            .stdin(Stdio::null())
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start `{}`", shown(command)))?;
        let status = self.wait(&mut child)?;
        // A server that a test left behind would run forever.
        if let Some(group) = group_of(&child) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        if !status.success() {
            bail!("`{}` failed: {status}", shown(command));
        }
        Ok(())
    }

    /// Runs a command to its end, and returns its output. An error has all of its output.
    pub fn output(&self, command: &mut Command) -> Result<String> {
        let [mut said, mut complaints] = [tempfile::tempfile()?, tempfile::tempfile()?];
        command
            .stdout(said.try_clone()?)
            .stderr(complaints.try_clone()?);
        let read = |file: &mut File| -> Result<String> {
            let mut bytes = Vec::new();
            file.rewind()?;
            file.read_to_end(&mut bytes)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        match self.run(command) {
            Ok(()) => read(&mut said),
            Err(error) => bail!(
                "{error}\n{}{}",
                read(&mut said)?,
                read(&mut complaints)?.trim_end()
            ),
        }
    }

    fn wait(&self, child: &mut Child) -> Result<ExitStatus> {
        loop {
            if let Some(status) = child
                .try_wait()
                .context("cannot wait for a child process")?
            {
                return Ok(status);
            }
            if let Err(interrupted) = self.check() {
                end_group(child);
                return Err(interrupted);
            }
            thread::sleep(POLL);
        }
    }
}

/// A command as typed in a shell, without the folder of the program.
pub fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = iter::once(name).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

/// A cargo command without the variables that cargo sets for this program. Otherwise build scripts
/// that watch such a variable (ring's does) would run again, and the crates above them would be
/// compiled again.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text == "CARGO" || text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_")
        {
            command.env_remove(&name);
        }
    }
    command
}

/// Ends a child and its process group: SIGTERM first, then SIGKILL.
fn end_group(child: &mut Child) {
    let Some(group) = group_of(child) else { return };
    // An error here means that the group has already ended.
    let _ = kill_process_group(group, Signal::TERM);
    let deadline = Instant::now() + GRACE;
    while Instant::now() < deadline && matches!(child.try_wait(), Ok(None)) {
        thread::sleep(POLL);
    }
    let _ = kill_process_group(group, Signal::KILL);
    let _ = child.wait();
}

fn group_of(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_failing_command_is_named() {
        let error = Interrupt::default()
            .run(Command::new("sh").args(["-c", "exit 3"]))
            .unwrap_err();
        assert_eq!(error.to_string(), "`sh -c exit 3` failed: exit status: 3");
    }

    #[test]
    fn output_is_returned_and_a_failure_contains_the_reason() {
        let output = |script| Interrupt::default().output(&mut shell(script));
        assert_eq!(output("echo one").unwrap(), "one\n");
        let error = output("echo two; echo broken >&2; exit 4").unwrap_err();
        assert!(error.to_string().ends_with(": 4\ntwo\nbroken"), "{error}");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Interrupt::default()
            .run(&mut Command::new("no-such-program"))
            .unwrap_err();
        assert_eq!(error.to_string(), "cannot start `no-such-program`");
    }

    fn written(file: &Path) -> String {
        loop {
            let text = fs::read_to_string(file).unwrap_or_default();
            if let Some(id) = text.strip_suffix('\n') {
                return id.to_owned();
            }
            thread::sleep(POLL);
        }
    }

    /// Waits until a process has ended, even if its parent has not waited for it.
    fn ends(process: &str) {
        let stat = format!("/proc/{process}/stat");
        while fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ")) {
            thread::sleep(POLL);
        }
    }

    #[test]
    fn a_process_that_a_child_leaves_behind_is_ended_with_it() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("id");
        let script = format!("sleep 600 & echo $! > {}", file.display());
        Interrupt::default().run(&mut shell(&script)).unwrap();
        ends(&written(&file));
    }

    #[test]
    fn an_interrupt_ends_the_child_and_its_children() {
        let interrupt = Interrupt::default();
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("id");
        let script = format!("sleep 600 & echo $! > {}; wait", file.display());
        thread::scope(|scope| {
            let child = scope.spawn(|| interrupt.run(&mut shell(&script)));
            let grandchild = written(&file);
            interrupt.set();
            let error = child.join().unwrap().unwrap_err();
            assert_eq!(error.to_string(), "interrupted");
            ends(&grandchild);
        });
    }

    #[test]
    fn cargo_is_started_without_the_variables_of_cargo_run() {
        // The test runner sets the same variables as `cargo run`.
        assert!(env::var_os("CARGO_PKG_NAME").is_some());
        let removed = cargo()
            .get_envs()
            .filter(|(_, value)| value.is_none())
            .map(|(name, _)| name.to_owned())
            .collect::<Vec<_>>();
        for name in ["CARGO_PKG_NAME", "CARGO_MANIFEST_DIR"] {
            assert!(removed.contains(&name.into()), "{name} is handed on");
        }
    }
}
