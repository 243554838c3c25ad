//! Commands to paste into a shell, with the demo's address and credentials.

use std::{env, fmt::Write as _, io};

use push::Credentials;
use secrecy::ExposeSecret as _;

use super::{home::Home, samples};
use crate::text::quoted;

/// The command that serves the demo's data again.
#[derive(Debug)]
pub struct ServeAgain {
    program: String,
    directory: String,
    database: String,
}

impl ServeAgain {
    /// A command with this program.
    pub fn new(home: &Home) -> io::Result<Self> {
        let text = |path: &std::path::Path| quoted(&path.to_string_lossy());
        Ok(Self {
            program: text(&env::current_exe()?),
            directory: text(&home.directory),
            database: quoted(&format!("sqlite://{}", home.database().display())),
        })
    }
}

/// The commands, for bash or another POSIX shell with curl, grep and sed.
pub fn lines(url: &str, credentials: &Credentials, again: Option<&ServeAgain>) -> String {
    let Credentials {
        client_id,
        client_secret,
    } = credentials;
    let client_secret = client_secret.expose_secret();
    let postings = format!("{url}/api/job-board/job-postings");
    let redacted = samples::REDACTED;
    let mut lines = String::new();
    if let Some(ServeAgain {
        program,
        directory,
        database,
    }) = again
    {
        let bind = url.trim_start_matches("http://");
        _ = write!(
            lines,
            r"# The demo has ended. This serves its data again, in the background; `kill %1`
# ends it.
{program} serve --log warn \
  --data-dir {directory} \
  --database-url {database} \
  --bind {bind} --public-url {url} &
curl -s --retry 20 --retry-delay 1 --retry-connrefused \
  {url}/readyz
echo

"
        );
    }
    _ = write!(
        lines,
        r#"# A token. The next commands need it.
TOKEN=$(curl -sS {url}/oauth/token \
  -d grant_type=client_credentials \
  -d client_id={client_id} \
  -d client_secret={client_secret} \
  | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

# Create a posting.
curl -sS -X PUT {postings}/my-first \
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{{"title": "Lighthouse keeper",
       "raw_description": "<p>Keep the <b>light</b> on. Ring 01632 960123.</p>",
       "location_country_code": "FR", "location_city": "Brest",
       "application_email": "light@tower.example",
       "company": {{"name": "Tower", "website_url": "https://tower.example"}}}}'
echo

# See a sample's description without what identifies the company.
printf '%b\n' "$(curl -sS -H "Authorization: Bearer $TOKEN" \
  {postings}/{redacted} \
  | sed -E 's/.*"markdown_redacted_description":"(([^"\\]|\\.)*)".*/\1/')"

# List what was rejected, and why.
curl -sS -H "Authorization: Bearer $TOKEN" \
  "{postings}?status=rejected" \
  | grep -oE '"unique_source_identifier":"[^"]*"|"status_reason":"[^"]*"'

# Take the posting down.
curl -sS -X PUT {postings}/my-first \
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -d '{{"expiration": {{"reason": "The position has been filled."}}}}'
echo"#
    );
    lines
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::*;

    #[test]
    fn lines_fit_a_terminal() {
        let credentials = Credentials {
            client_id: uuid::Uuid::max().to_string(),
            client_secret: SecretString::from("x".repeat(43)),
        };
        let again = ServeAgain {
            program: "posthaste".to_owned(),
            directory: "/tmp/d".to_owned(),
            database: "sqlite:///tmp/d/posthaste.db".to_owned(),
        };
        for line in lines("http://127.0.0.1:65535", &credentials, Some(&again)).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
