use std::{
    fmt,
    path::{Path, PathBuf},
};

const NAMED: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyProblem {
    path: PathBuf,
    reason: String,
    remedy: Option<Remedy>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Remedy {
    CloseFile,
    CloseFolder,
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

    pub(super) fn open_file(path: &Path, mode: u32) -> Self {
        Self {
            remedy: Some(Remedy::CloseFile),
            ..Self::new(
                path,
                format_args!("other users can access the file (mode {mode:04o})"),
            )
        }
    }

    pub(super) fn open_folder(path: &Path, mode: u32) -> Self {
        Self {
            remedy: Some(Remedy::CloseFolder),
            ..Self::new(
                path,
                format_args!("other users can write to the folder (mode {mode:04o})"),
            )
        }
    }

    pub(super) fn not_the_owners(path: &Path, user: u32, group: u32) -> Self {
        Self {
            remedy: Some(Remedy::HandOver { user, group }),
            ..Self::new(
                path,
                format_args!("the folder's owner, user {user}, cannot read it"),
            )
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn fault(&self) -> &str {
        &self.reason
    }

    pub fn reason(&self) -> String {
        match self.command() {
            Some(command) => format!("{}; run: {command}", self.reason),
            None => self.reason.clone(),
        }
    }

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

/// A warning about all files that others may read or change, with one command that fixes them.
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
            "users other than the owner can read or replace the token signing keys; run: {}",
            commands.join(" && ")
        )
    })
}

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
    fn one_command_closes_all_open_files() {
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
