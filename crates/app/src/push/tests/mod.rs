//! Pushes to a stand-in for the service.

mod board;
mod catalogue;
mod command;
mod import;
mod retry;
mod token;

use std::{path::PathBuf, time::Duration};

use secrecy::SecretString;
use serde_json::{Value, json};
use tempfile::TempDir;
use wiremock::{
    Mock, MockServer, Request, ResponseTemplate,
    matchers::{body_string_contains, method, path},
};

use self::board::{Board, Fault};
use super::{counts::Counts, *};
use crate::cli::JsonArgs;

/// A retry policy that is fast enough for tests.
const POLICY: RetryPolicy = RetryPolicy {
    first_wait: Duration::from_millis(5),
    longest_wait: Duration::from_millis(50),
    limit: Duration::from_secs(1),
    patience: Duration::from_secs(30),
};

fn token(value: &str) -> ResponseTemplate {
    ResponseTemplate::new(200)
        .set_body_json(json!({"access_token": value, "token_type": "Bearer", "expires_in": 3600}))
}

/// A service with a token endpoint.
async fn service() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/oauth/token"))
        .and(body_string_contains("grant_type=client_credentials"))
        .and(body_string_contains("client_id=someone"))
        .and(body_string_contains("client_secret=sesame"))
        .and(body_string_contains("scope=job-postings%3Awrite"))
        .respond_with(token("T1"))
        .mount(&server)
        .await;
    server
}

/// A service with a board, and a file to push.
struct Setting {
    server: MockServer,
    board: Board,
    folder: TempDir,
    args: PushArgs,
}

impl Setting {
    async fn with(content: impl AsRef<[u8]>) -> Self {
        let (server, board) = (service().await, Board::default());
        board.mount(&server).await;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("in.ndjson");
        fs::write(&file, content).unwrap();
        let args = arguments(&server.uri(), file);
        Self {
            server,
            board,
            folder,
            args,
        }
    }

    fn write(&self, content: impl AsRef<[u8]>) {
        fs::write(&self.args.file, content).unwrap();
    }

    /// Pushes, and returns how that ended with the summary.
    async fn push(&self) -> (anyhow::Result<()>, Summary) {
        let mut report = Report::new();
        let ended = push(&self.args, POLICY, &mut report, &Progress::new()).await;
        let (summary, flushed) = report.finish();
        flushed.unwrap();
        (ended, summary)
    }

    /// Pushes to the end, and returns the counts that are not zero.
    async fn counts(&self) -> String {
        let (ended, summary) = self.push().await;
        ended.unwrap();
        shown(&summary.counts)
    }

    /// Pushes with rejects, and returns them.
    async fn rejects(&mut self) -> Vec<Value> {
        let file = self.folder.path().join("rejects.ndjson");
        self.args.rejects = Some(file.clone());
        _ = self.push().await.0;
        let text = fs::read_to_string(file).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The requests but those for tokens.
    async fn requests(&self) -> Vec<Request> {
        let mut requests = self.server.received_requests().await.unwrap();
        requests.retain(|request| request.url.path() != "/oauth/token");
        requests
    }
}

fn shown(counts: &Counts) -> String {
    let counts = counts.named();
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    counts
        .map(|(name, count)| format!("{count} {name}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn arguments(url: &str, file: PathBuf) -> PushArgs {
    PushArgs {
        file,
        // The trailing slash does no harm.
        url: format!("{url}/").parse().unwrap(),
        client_id: "someone".to_owned(),
        client_secret: SecretString::from("sesame".to_owned()),
        catalogue: None,
        max_missing: None,
        reopen: false,
        dry_run: false,
        strict: false,
        concurrency: None,
        rejects: None,
        json: JsonArgs { enabled: false },
    }
}

/// Lines with these identifiers.
fn lines(ids: impl IntoIterator<Item = impl ToString>) -> String {
    ids.into_iter()
        .map(|id| json!({"id": id.to_string(), "payload": {"title": "T"}}).to_string() + "\n")
        .collect()
}
