use std::{
    env,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

/// The path of the program: `POSTHASTE_BIN`, otherwise the workspace's program, which is built
/// first.
pub fn path() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| match env::var_os("POSTHASTE_BIN") {
        Some(path) => {
            // Tests run in the crate's folder, but a relative path is relative to the workspace.
            let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
            let path = workspace.join(path);
            assert!(
                path.is_file(),
                "POSTHASTE_BIN: there is no file {}",
                path.display()
            );
            path
        }
        None => build(),
    })
}

/// Builds the program in this test's target folder, with this test's profile.
fn build() -> PathBuf {
    // <target>/<profile>/deps/<this test>
    let test = env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .args(["build", "--quiet", "--package", "app", "--bin", "posthaste"])
        .arg("--target-dir")
        .arg(folder.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    // Cargo's variables about this test's package would make build scripts run again.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
            cargo.env_remove(&*name);
        }
    }
    if folder.ends_with("release") {
        cargo.arg("--release");
    }
    assert!(
        cargo.status().unwrap().success(),
        "the program does not build"
    );
    folder.join("posthaste")
}

pub fn command() -> Command {
    let mut command = Command::new(path());
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("POSTHASTE_") || name == "DATABASE_URL" || name.starts_with("RUST_LOG")
        {
            command.env_remove(&*name);
        }
    }
    command
}

#[derive(Debug)]
pub struct CommandResult {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl CommandResult {
    pub fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self.stdout
    }

    pub fn failed(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        self.stderr
    }
}

pub fn run(mut command: Command, input: &str) -> CommandResult {
    let (reader, mut writer) = io::pipe().unwrap();
    command.stdin(reader);
    let input = input.to_owned();
    // Written in a thread: otherwise both processes might wait for each other with full pipes.
    let writer = std::thread::spawn(move || {
        // A command that fails early does not read all of its input.
        let _ = writer.write_all(input.as_bytes());
    });
    let result = tokio::task::block_in_place(|| wait_for(command));
    writer.join().unwrap();
    result
}

pub fn wait_for(mut command: Command) -> CommandResult {
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    // Close this process's ends of the pipes.
    drop(command);
    let output = child.unwrap().wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    CommandResult {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}
