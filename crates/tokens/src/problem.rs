//! Problems with the key folder and its files, and the commands that fix them.

use std::{
    fmt,
    path::{Path, PathBuf},
};

/// The number of files that a command lists by name.
const NAMED: usize = 3;

/// A problem with a file in the folder that is not a usable key, or with the folder itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyProblem {
    path: PathBuf,
    reason: String,
    remedy: Option<Remedy>,
}

/// The fix for a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Remedy {
    /// Remove other users' permissions on the file.
    CloseFile,
    /// Remove other users' permission to write to the folder.
    CloseFolder,
    /// Give the file the folder's owner and group.
    HandOver { user: u32, group: u32 },
}

impl KeyProblem {
    pub(super) fn new(path: &Path, reason: impl fmt::Display) -> Self {
        Self {
            path: path.to_owned(),
            reason: reason.to_string(),
            remedy: None,
        }
    }

    /// Users other than the owner may read or write the file.
    pub(super) fn open_file(path: &Path, mode: u32) -> Self {
        Self {
            remedy: Some(Remedy::CloseFile),
            ..Self::new(
                path,
                format_args!("others can use the file (mode {mode:04o})"),
            )
        }
    }

    /// Users other than the owner may put keys into the folder.
    pub(super) fn open_folder(path: &Path, mode: u32) -> Self {
        Self {
            remedy: Some(Remedy::CloseFolder),
            ..Self::new(
                path,
                format_args!("others can write to it (mode {mode:04o})"),
            )
        }
    }

    /// The folder's owner cannot read the file.
    pub(super) fn not_the_owners(path: &Path, user: u32, group: u32) -> Self {
        Self {
            remedy: Some(Remedy::HandOver { user, group }),
            ..Self::new(
                path,
                format_args!("the folder's owner, user {user}, cannot read it"),
            )
        }
    }

    /// The file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reason why it is not a usable key.
    pub fn fault(&self) -> &str {
        &self.reason
    }

    /// The reason why it is not a usable key, with the command that fixes it if there is one.
    pub fn reason(&self) -> String {
        match self.command() {
            Some(command) => format!("{}; run: {command}", self.reason),
            None => self.reason.clone(),
        }
    }

    /// The command that fixes it, if there is one.
    pub fn command(&self) -> Option<String> {
        let path = quoted(&self.path);
        self.remedy.as_ref().map(|remedy| match remedy {
            Remedy::CloseFile => format!("chmod 600 {path}"),
            Remedy::CloseFolder => format!("chmod go-w {path}"),
            Remedy::HandOver { user, group } => format!("chown {user}:{group} {path}"),
        })
    }

    fn has(&self, remedy: &Remedy) -> bool {
        self.remedy.as_ref() == Some(remedy)
    }
}

impl fmt::Display for KeyProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason())
    }
}

/// One line about all files that users other than the owner may read or change, with the command
/// that fixes all of them; `None` if there are none.
pub(super) fn exposure(folder: &Path, problems: &[KeyProblem]) -> Option<String> {
    let folder_is_open = problems.iter().any(|one| one.has(&Remedy::CloseFolder));
    let files: Vec<_> = problems
        .iter()
        .filter(|one| one.has(&Remedy::CloseFile))
        .map(|one| quoted(&one.path))
        .collect();
    let files = match files.len() {
        0 => None,
        1..=NAMED => Some(format!("chmod 600 {}", files.join(" "))),
        _ => Some(format!("chmod 600 {}/*", quoted(folder))),
    };
    let folder = folder_is_open.then(|| format!("chmod go-w {}", quoted(folder)));
    let commands: Vec<_> = folder.into_iter().chain(files).collect();
    (!commands.is_empty()).then(|| {
        format!(
            "others than their owner can read or replace the token signing keys; run: {}",
            commands.join(" && ")
        )
    })
}

/// A path quoted for a shell.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if text.starts_with('-') {
        return quoted(&Path::new(".").join(path));
    }
    if text.chars().all(is_plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_command_is_one_word() {
        for (path, expected) in [
            ("./data/keys/0-a", "./data/keys/0-a"),
            ("/srv/my keys", "'/srv/my keys'"),
            ("a'b", r"'a'\''b'"),
            ("$(reboot)", "'$(reboot)'"),
            ("-rf", "./-rf"),
        ] {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }

    #[test]
    fn one_command_mends_all_that_is_open() {
        let folder = Path::new("keys");
        let file = |name: &str| KeyProblem::open_file(&folder.join(name), 0o644);
        let command = |problems: &[KeyProblem]| {
            let line = exposure(folder, problems)?;
            Some(line.split_once("; run: ")?.1.to_owned())
        };
        let other = KeyProblem::new(&folder.join("x"), "not a PEM file");
        assert_eq!(command(std::slice::from_ref(&other)), None);
        let some = command(&[other, file("a"), file("b")]);
        assert_eq!(some.as_deref(), Some("chmod 600 keys/a keys/b"));
        let mut many = vec![KeyProblem::open_folder(folder, 0o777)];
        assert_eq!(command(&many).as_deref(), Some("chmod go-w keys"));
        many.extend(["a", "b", "c", "d"].map(file));
        let all = command(&many);
        assert_eq!(all.as_deref(), Some("chmod go-w keys && chmod 600 keys/*"));
    }
}
