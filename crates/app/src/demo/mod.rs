//! `posthaste demo`: the whole product in one command.
//!
//! It starts the service on a free port, creates a client, pushes the [`samples`] over OAuth and
//! HTTP as [`crate::push`] does with any file, waits until they are enriched, and prints their
//! outcome ([`table`]), what two clients with prefixes may do ([`sharing`]), commands to go on by
//! hand ([`curl`]), and a link to the console, which has a [`past`] to show.

mod curl;
mod past;
mod samples;
mod sharing;
mod table;

#[cfg(test)]
mod tests;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::{self, Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use access::{NewClient, Scope};
use anyhow::{Context as _, bail};
use domain::posting::{ENRICH, Lifetime};
use indicatif::{ProgressBar, ProgressStyle};
use kernel::{
    Prefixes, SourceIdentifier,
    audit::{Attribution, Operator},
};
use secrecy::SecretString;
use tempfile::TempDir;
use uuid::Uuid;

use self::{samples::Sample, table::Row};
use crate::{
    cli::{DEFAULT_BOARD_NAME, DemoArgs},
    command::clients,
    config::{AdminBind, DatabaseUrl, EnricherKind},
    console::{self, ConsoleConfig},
    database::{Database, Outdated},
    kinds,
    lane::LaneSettings,
    newsletter_service::Links,
    output, provider,
    push::{self, Chunk, Credentials, Progress, RetryPolicy, Sender},
    serve::{Service, ServiceConfig},
    shutdown::{INTERRUPTED, StopSignals},
    webhooks::WebhookSettings,
};

/// The time limit of the samples' enrichment.
const ENRICHMENT_TIMEOUT: Duration = Duration::from_mins(1);

/// The demo's data directory.
#[derive(Debug)]
struct Home {
    directory: PathBuf,
    /// Removes the directory at the end.
    _temporary: Option<TempDir>,
}

impl Home {
    /// Uses the chosen directory or a temporary one, which stays after `--exit`, so that it can be
    /// served again.
    fn new(chosen: Option<&Path>, stays: bool) -> io::Result<Self> {
        if let Some(directory) = chosen {
            return Ok(Self {
                directory: path::absolute(directory)?,
                _temporary: None,
            });
        }
        let temporary = tempfile::Builder::new()
            .prefix("posthaste-demo-")
            .tempdir()?;
        Ok(if stays {
            Self {
                directory: temporary.keep(),
                _temporary: None,
            }
        } else {
            Self {
                directory: temporary.path().to_owned(),
                _temporary: Some(temporary),
            }
        })
    }

    fn database(&self) -> PathBuf {
        self.directory.join("posthaste.db")
    }

    fn service(&self) -> ServiceConfig {
        ServiceConfig {
            database: DatabaseUrl::Sqlite(self.database()),
            outdated: Outdated::MigrateEmbedded,
            replica: None,
            http_threads: 1,
            max_connections: 256,
            lanes: LaneSettings::default(),
            keys: self.directory.join("keys"),
            bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            public_url: None,
            token_ttl: Duration::from_hours(1),
            body_limit: 1 << 20,
            import_limit: 1 << 31,
            lifetime: Lifetime::days(60),
            keep_events: Duration::from_hours(30 * 24),
            keep_expired_texts: Some(Duration::from_hours(30 * 24)),
            enricher: Some(EnricherKind::Builtin),
            // The demo calls no external services.
            accounts: provider::none(),
            reconciles: false,
            links: Links::Move,
            webhooks: WebhookSettings::default(),
            webhook_secrets: Vec::new(),
            board_name: DEFAULT_BOARD_NAME.to_owned(),
            admin: AdminBind::Off,
            console: ConsoleConfig {
                bind: AdminBind::At(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
                url: None,
                proxy: None,
            },
            tracer: None,
        }
    }
}

/// Runs the command.
pub async fn run(args: DemoArgs) -> anyhow::Result<ExitCode> {
    let stop = StopSignals::listen()
        .context("cannot listen to signals")?
        .asked();
    tokio::pin!(stop);
    let home = Home::new(args.data_dir.as_deref(), args.exit)
        .context("no directory can be made for the demo; name one with --data-dir")?;
    let mut running = Service::start(home.service()).await?;
    let (database, url) = (running.database.clone(), running.public_url.clone());
    let console = running.console.as_ref().map(|console| console.url.clone());

    let shown = tokio::select! {
        shown = show(&database, &url, console.as_deref(), &home, args.exit) => shown.map(|()| ExitCode::SUCCESS),
        error = running.failed() => Err(error),
        () = &mut stop => Ok(ExitCode::from(INTERRUPTED)),
    };
    let is_done = args.exit || !matches!(shown, Ok(ExitCode::SUCCESS));
    let ended = if is_done {
        shown
    } else {
        tokio::select! {
            error = running.failed() => Err(error),
            () = &mut stop => shown,
        }
    };
    running.stop().await;
    ended
}

async fn show(
    database: &Database,
    url: &str,
    console: Option<&str>,
    home: &Home,
    exits: bool,
) -> anyhow::Result<()> {
    output::print(format_args!(
        "Posthaste listens on {url}, its data is in {}.",
        home.directory.display()
    ))?;
    let credentials = integration(database, "demo", Prefixes::ALL).await?;
    let rows = push_samples(url, credentials.clone(), samples::LINES).await?;
    wait_for_enrichment(database).await?;
    output::print(format_args!(
        "\n{}\n",
        table::render(&rows, &*database.postings).await?
    ))?;
    output::print(format_args!("{}\n", sharing::render(database, url).await?))?;

    let again = exits.then(|| curl::ServeAgain::new(home)).transpose()?;
    output::print(curl::lines(url, &credentials, again.as_ref()))?;
    if !exits {
        if let Some(console) = console {
            past::record(database).await?;
            let by = demo_operator()?;
            let operator = by.operator.clone();
            let link = console::link(&*database.passes, console, operator, &by).await?;
            output::print(format_args!(
                "\nThe operators' console, with two made-up weeks before today, by a link that works \
                 once: {link}"
            ))?;
        }
        output::print(format_args!(
            "\nServing until Ctrl-C. API documentation: {url}/docs"
        ))?;
    }
    Ok(())
}

/// The demo as an operator.
fn demo_operator() -> anyhow::Result<Attribution> {
    Ok(Attribution {
        id: Uuid::now_v7(),
        operator: Operator::new("demo")?,
    })
}

/// Creates a client that pushes and reads the postings that begin so.
async fn integration(
    database: &Database,
    name: &str,
    prefixes: Prefixes,
) -> anyhow::Result<Credentials> {
    let by = demo_operator()?;
    let new = NewClient {
        name: name.to_owned(),
        scopes: vec![Scope::JobPostingsWrite, Scope::JobPostingsRead],
        prefixes,
        requests_per_minute: None,
    };
    let (client, secret) = clients::create(&*database.clients, &by, new).await?;
    Ok(Credentials {
        client_id: client.id.to_string(),
        client_secret: SecretString::from(secret.expose().to_owned()),
    })
}

/// Pushes samples, one in each line, and returns the answers by posting.
async fn push_samples(
    url: &str,
    credentials: Credentials,
    lines: &str,
) -> anyhow::Result<Vec<Row>> {
    let samples = samples::read(lines)?;
    let mut rows: Vec<Row> = Vec::new();
    for Sample { id, payload } in &samples {
        if !rows.iter().any(|row| row.id.as_str() == id) {
            let title = payload["title"].as_str().unwrap_or_default().to_owned();
            rows.push(Row {
                id: SourceIdentifier::new(id)?,
                title,
                answers: Vec::new(),
            });
        }
    }

    let bar = progress_bar(samples.len() as u64, "pushed");
    let url = url.parse().context("the service has no usable address")?;
    let (policy, progress) = (RetryPolicy::default(), Progress::new());
    let sender = Sender::connect(&url, credentials, policy, progress.clone()).await?;
    let receipts = push::receipts(&sender, &Chunk::of(lines), &progress).await?;
    if receipts.len() != samples.len() {
        bail!(
            "{} of {} samples were answered",
            receipts.len(),
            samples.len()
        );
    }
    for (Sample { id, .. }, receipt) in samples.iter().zip(receipts) {
        let row = rows.iter_mut().find(|row| row.id.as_str() == id);
        row.context("a sample has no row")?
            .answers
            .push(receipt.into());
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(rows)
}

async fn wait_for_enrichment(database: &Database) -> anyhow::Result<()> {
    let started = Instant::now();
    let mut bar: Option<ProgressBar> = None;
    loop {
        let backlog = database.outbox.backlog(&kinds::ALL).await?;
        let enrichments = backlog.iter().find(|backlog| backlog.kind == ENRICH.kind());
        let waiting = enrichments.map_or(0, |backlog| backlog.waiting);
        let bar = bar.get_or_insert_with(|| progress_bar(waiting, "enriched"));
        bar.set_position(bar.length().unwrap_or_default().saturating_sub(waiting));
        if waiting == 0 {
            bar.finish_and_clear();
            return Ok(());
        }
        if started.elapsed() > ENRICHMENT_TIMEOUT {
            bar.finish_and_clear();
            bail!(
                "{waiting} samples were not enriched within {} s; `posthaste outbox list` with \
                 the demo's --data-dir tells what they wait for",
                ENRICHMENT_TIMEOUT.as_secs()
            );
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A progress bar on standard error; hidden if that is no terminal.
fn progress_bar(length: u64, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos} of {len} {msg}") {
        bar.set_style(style);
    }
    bar.with_message(what)
}
