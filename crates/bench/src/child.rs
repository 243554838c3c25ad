//! Child processes: servers that run during a measurement, and commands whose output is needed.

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};

use xtask::process::{Interrupt, shown};

const POLL: Duration = Duration::from_millis(20);
/// How long a program may take to end after SIGTERM. The service first answers the requests in
/// progress.
const GRACE: Duration = Duration::from_secs(15);
const START_LIMIT: Duration = Duration::from_mins(1);

/// A child process that is ended on drop.
pub struct Running {
    child: RefCell<Child>,
    name: String,
    log: PathBuf,
    stdout: Option<BufReader<ChildStdout>>,
}

impl Running {
    /// Starts the program, with its standard error in a log file.
    pub fn start(command: &Command, log: &Path) -> Result<Self> {
        let mut command = ending_with_us(command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(log)?)
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start `{}`", shown(&command)))?;
        let stdout = child.stdout.take().map(BufReader::new);
        Ok(Self {
            child: RefCell::new(child),
            name: shown(&command),
            log: log.to_owned(),
            stdout,
        })
    }

    /// Waits for the first line of the program's output.
    pub fn first_line(&mut self, interrupt: &Interrupt) -> Result<String> {
        let mut stdout = self.stdout.take().context("its output was read already")?;
        let (sender, receiver) = mpsc::channel();
        // The thread reads to the end, or the program would block once the pipe is full.
        thread::spawn(move || {
            let mut line = String::new();
            let read = stdout.read_line(&mut line);
            let _ = sender.send(read.map(|_| line));
            let _ = std::io::copy(&mut stdout, &mut std::io::sink());
        });
        let deadline = Instant::now() + START_LIMIT;
        while Instant::now() < deadline {
            interrupt.check()?;
            match receiver.recv_timeout(POLL) {
                Ok(line) => {
                    let line = line?;
                    if line.is_empty() {
                        self.child.borrow_mut().wait()?;
                        self.check()?;
                    }
                    return Ok(line.trim_end().to_owned());
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        bail!("it said nothing within {} seconds", START_LIMIT.as_secs())
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.borrow().id()
    }

    /// Fails if the program has ended, with the end of its log.
    pub fn check(&self) -> Result<()> {
        match self.child.borrow_mut().try_wait()? {
            None => Ok(()),
            Some(status) => bail!(
                "`{}` ended by itself: {status}; its log ends:\n{}",
                self.name,
                end_of_file(&self.log)
            ),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let child = self.child.get_mut();
        drop(child.stdin.take());
        // Checked before the signal is sent: after the child was reaped, its id may be reused.
        if matches!(child.try_wait(), Ok(None))
            && let Some(process) = i32::try_from(child.id()).ok().and_then(Pid::from_raw)
        {
            let _ = kill_process(process, Signal::TERM);
        }
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(POLL);
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Runs a command to its end and returns its output; a failure is an error.
pub fn output(command: &Command, interrupt: &Interrupt) -> Result<String> {
    let mut command = ending_with_us(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .with_context(|| format!("cannot start `{}`", shown(&command)))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let stdout = scope.spawn(move || read(stdout));
        let stderr = scope.spawn(move || read(stderr));
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if let Err(interrupted) = interrupt.check() {
                let _ = child.kill();
                let _ = child.wait();
                return Err(interrupted);
            }
            thread::sleep(POLL);
        };
        let stdout = stdout.join().unwrap_or_default();
        let stderr = stderr.join().unwrap_or_default();
        if !status.success() {
            bail!(
                "`{}` failed: {status}\n{}",
                shown(&command),
                end_of(&stderr)
            );
        }
        Ok(stdout)
    })
}

/// The last lines of a log.
pub fn end_of_file(log: &Path) -> String {
    end_of(&fs::read_to_string(log).unwrap_or_default())
}

fn end_of(text: &str) -> String {
    let lines: Vec<_> = text.lines().collect();
    let start = lines.len().saturating_sub(10);
    lines.get(start..).unwrap_or_default().join("\n")
}

fn read(pipe: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        let _ = pipe.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Wraps a command so that the kernel ends it if this program is killed. `setpriv` replaces itself
/// with the program, so the process id is the program's.
fn ending_with_us(command: &Command) -> Command {
    let mut ours = Command::new("setpriv");
    ours.args(["--pdeathsig", "TERM", "--"])
        .arg(command.get_program())
        .args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => ours.env(name, value),
            None => ours.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        ours.current_dir(folder);
    }
    ours
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_is_what_was_printed() {
        let mut command = shell("echo \"$WHAT\"");
        command.env("WHAT", "one");
        let text = output(&command, &Interrupt::default()).unwrap();
        assert_eq!(text, "one\n");
    }

    #[test]
    fn a_failure_says_why() {
        let error = output(&shell("echo broken >&2; exit 4"), &Interrupt::default()).unwrap_err();
        assert!(error.to_string().ends_with("broken"), "{error}");
    }

    #[test]
    fn what_runs_ends_with_its_guard() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log");
        let command = shell("echo trouble >&2; echo started; exec sleep 60");
        let mut running = Running::start(&command, &log).unwrap();
        assert_eq!(
            running.first_line(&Interrupt::default()).unwrap(),
            "started"
        );
        assert_eq!(end_of_file(&log), "trouble");
        let process = format!("/proc/{}", running.id());
        assert!(Path::new(&process).exists());
        drop(running);
        assert!(!Path::new(&process).exists());
    }

    #[test]
    fn a_program_that_ends_at_once_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let command = shell("echo trouble >&2; exit 3");
        let mut running = Running::start(&command, &folder.path().join("log")).unwrap();
        let error = running.first_line(&Interrupt::default()).unwrap_err();
        let error = error.to_string();
        assert!(
            error.contains("exit status: 3") && error.ends_with("trouble"),
            "{error}"
        );
        assert!(running.check().is_err());
    }
}
