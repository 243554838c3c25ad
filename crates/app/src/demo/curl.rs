//! Commands to paste into a shell, with the demo's address and credentials: for bash or another
//! POSIX shell with curl, grep and sed.

use std::{env, io};

use push::Credentials;
use secrecy::ExposeSecret as _;

use super::{home::Home, samples};
use crate::text::quoted;

const COMMANDS: &str = include_str!("commands.sh");
const SERVE_AGAIN: &str = include_str!("serve_again.sh");

/// Replaces the names between `@` in a text.
fn filled(text: &str, values: &[(&str, &str)]) -> String {
    let fill =
        |text: String, (name, value): &(&str, &str)| text.replace(&format!("@{name}@"), value);
    values.iter().fold(text.trim_end().to_owned(), fill)
}

pub fn lines(url: &str, credentials: &Credentials) -> String {
    let values = [
        ("POSTINGS", "@URL@/api/job-board/job-postings"),
        ("URL", url),
        ("CLIENT_ID", &credentials.client_id),
        ("CLIENT_SECRET", credentials.client_secret.expose_secret()),
        ("REDACTED", samples::REDACTED),
    ];
    filled(COMMANDS, &values)
}

pub fn serve_again(url: &str, home: &Home) -> io::Result<String> {
    let database = format!("sqlite://{}", home.database().display());
    let values = [
        ("PROGRAM", &*quoted(&env::current_exe()?.to_string_lossy())),
        ("DIRECTORY", &quoted(&home.directory.to_string_lossy())),
        ("DATABASE", &quoted(&database)),
        ("BIND", url.trim_start_matches("http://")),
        ("URL", url),
    ];
    Ok(filled(SERVE_AGAIN, &values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_a_terminal() {
        let credentials = Credentials {
            client_id: uuid::Uuid::max().to_string(),
            client_secret: "x".repeat(43).into(),
        };
        for line in lines("http://127.0.0.1:65535", &credentials).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
