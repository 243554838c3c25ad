//! The `.env` file of the working directory.
//!
//! The file decides where secrets are sent. So a file that users besides the caller and root can
//! write is refused. Only this program's variables in it count.

use std::{
    env,
    fmt::Write as _,
    fs::{self, File, OpenOptions},
    io::{self, Read as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::{fs::OFlags, process::geteuid};

use super::refusal::Refusal;

const LARGEST: u64 = 1 << 20;

const FILE: &str = "_FILE";

const PREFIXES: [&str; 2] = ["POSTHASTE_", "OTEL_"];
const NAMES: [&str; 3] = ["DATABASE_URL", "DATABASE_URL_FILE", "RUST_LOG"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dotenv {
    path: PathBuf,
    /// The variables in the order of the file.
    taken: Vec<(String, String)>,
    ignored: usize,
}

impl Dotenv {
    pub fn read(path: &Path) -> Result<Option<Self>, Refusal> {
        let refuse = |why: String| Refusal::Value(format!("{}: {why}", path.display()));
        let file = match open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refuse(error.to_string())),
        };
        let why = objection(&file, path).unwrap_or_else(|error| Some(error.to_string()));
        if let Some(why) = why {
            return Err(refuse(why));
        }
        let mut text = String::new();
        let read = file.take(LARGEST + 1).read_to_string(&mut text);
        read.map_err(|error| refuse(error.to_string()))?;
        if text.len() as u64 > LARGEST || text.contains('\0') {
            return Err(refuse("is no text of a reasonable size".to_owned()));
        }
        let mut variables = Vec::new();
        for variable in dotenvy::from_read_iter(text.trim_start_matches('\u{feff}').as_bytes()) {
            variables.push(variable.map_err(|error| refuse(reason(&error, &text)))?);
        }
        let all = variables.len();
        variables.retain(|(name, _)| is_ours(name));
        Ok(Some(Self {
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            ignored: all - variables.len(),
            taken: variables,
        }))
    }

    /// Sets missing variables. A secret and the variable of its file are one setting. Must be
    /// called before there are threads.
    pub fn apply(&self) -> Result<(), Refusal> {
        let is_unset = |(name, _): &&(String, String)| {
            let secret = name.strip_suffix(FILE).unwrap_or(name);
            [secret, &file_variable(secret)]
                .iter()
                .all(|name| env::var_os(name).is_none())
        };
        let mut lacking: Vec<(String, String)> = Vec::new();
        for (name, value) in self.taken.iter().filter(is_unset) {
            // If several lines set a variable, the first counts.
            if !lacking.iter().any(|(known, _)| known == name) {
                lacking.push((name.clone(), value.clone()));
            }
        }
        set(&lacking)
    }

    pub fn announce(&self) {
        let names = self.taken.iter().map(|(name, _)| name.as_str());
        tracing::info!(
            file = %self.path.display(),
            variables = names.collect::<Vec<_>>().join(","),
            ignored = self.ignored,
            "the .env file was read"
        );
    }
}

pub fn file_variable(name: &str) -> String {
    format!("{name}{FILE}")
}

/// Opens a file without waiting, for example for a FIFO.
fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(path)
}

/// Checks the open file, not its name. A link must also belong to the caller or root: otherwise a
/// stranger could choose the file.
fn objection(file: &File, path: &Path) -> io::Result<Option<String>> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let folder = fs::metadata(folder.unwrap_or(Path::new(".")))?;
    let (file, link) = (file.metadata()?, fs::symlink_metadata(path)?);
    if !file.is_file() {
        return Ok(Some("is not a file".to_owned()));
    }
    let owners = [file.uid(), link.uid()];
    let caller = geteuid().as_raw();
    Ok(objection_to(owners, file.mode(), folder.mode(), caller))
}

fn objection_to(owners: [u32; 2], mode: u32, folder_mode: u32, caller: u32) -> Option<String> {
    let stranger = owners.iter().find(|owner| ![0, caller].contains(*owner));
    if let Some(stranger) = stranger {
        return Some(format!(
            "belongs to user {stranger}, who is neither you nor root; remove it or change its owner"
        ));
    }
    if mode & 0o022 != 0 {
        return Some("others may write it; run `chmod go-w` on it".to_owned());
    }
    // Without the sticky bit, every writer of the folder may replace the file.
    if folder_mode & 0o1002 == 0o002 {
        return Some("every user may replace it; run `chmod o-w` on its folder".to_owned());
    }
    None
}

fn is_ours(name: &str) -> bool {
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// The reason without values, which may be secrets. The parser's error contains the whole line or
/// only its value.
fn reason(error: &dotenvy::Error, text: &str) -> String {
    let dotenvy::Error::LineParse(failed, _) = error else {
        return error.to_string();
    };
    let failed = failed.lines().next().unwrap_or_default().trim();
    let mut lines = text.lines().map(str::trim).enumerate();
    let Some((at, line)) = lines.find(|(_, line)| line.ends_with(failed)) else {
        return "a line is not NAME=value".to_owned();
    };
    let name = line.split_once('=').map_or("", |(name, _)| name.trim());
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let name = if !name.is_empty() && name.bytes().all(is_name) {
        format!(" ({name})")
    } else {
        String::new()
    };
    format!(
        "line {}{name} is not NAME=value; put a value with special characters in single quotes",
        at + 1
    )
}

/// Uses the parser of `.env` files, because the standard library's function is unsafe.
pub(super) fn set(variables: &[(String, String)]) -> Result<(), Refusal> {
    let mut text = String::new();
    for (name, value) in variables {
        let value = value.replace('\\', r"\\").replace('"', r#"\""#);
        let value = value.replace('$', r"\$").replace('\n', r"\n");
        _ = writeln!(text, "{name}=\"{value}\"");
    }
    let set = dotenvy::from_read_override(text.as_bytes());
    set.map_err(|_| Refusal::Value("variables cannot be set".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_just_the_caller_or_root_can_write_count() {
        for (owners, mode, folder, expect) in [
            ([1000, 1000], 0o100_600, 0o40_700, ""),
            ([0, 0], 0o100_644, 0o40_755, ""),
            ([0, 1000], 0o100_644, 0o41_777, ""),
            ([1000, 1000], 0o100_640, 0o40_775, ""),
            ([7, 1000], 0o100_600, 0o40_700, "belongs to user 7"),
            ([1000, 7], 0o120_777, 0o40_700, "belongs to user 7"),
            ([1000, 1000], 0o100_620, 0o40_700, "others may write it"),
            ([0, 0], 0o100_602, 0o40_700, "others may write it"),
            (
                [1000, 1000],
                0o100_600,
                0o40_777,
                "every user may replace it",
            ),
        ] {
            let why = objection_to(owners, mode, folder, 1000).unwrap_or_default();
            assert!(why.starts_with(expect), "{owners:?} {mode:o}: {why}");
            assert_eq!(why.is_empty(), expect.is_empty(), "{why}");
        }
    }
}
