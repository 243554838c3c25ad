//! `posthaste demo`: the whole product in one command.
//!
//! It starts the service on a free port ([`home`]), creates a client, and pushes the [`samples`]
//! over OAuth and HTTP ([`mod@integration`]). Once they are enriched, it prints their outcome
//! ([`table`]), two clients with prefixes ([`sharing`]), commands to continue by hand ([`curl`]),
//! and a link to the console. The console shows a made-up [`past`], a report and an objection
//! ([`complaints`]).

mod complaints;
mod curl;
mod home;
mod integration;
mod past;
mod samples;
mod sharing;
mod table;

#[cfg(test)]
mod tests;

use std::{
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

use access::sign_in::LinkMaker;
use adapters_console::client_link;
use anyhow::{Context as _, bail};
use clap::Args;
use domain::posting::ENRICH;
use indicatif::ProgressBar;
use kernel::Prefixes;
use runtime::clock;
use stores::Stores;

use self::{
    home::Home,
    integration::{demo_operator, integration, push_samples},
};
use crate::{
    operators, output, progress,
    serve::Running,
    shutdown::{INTERRUPTED, StopSignals},
};

/// The time limit for enriching all samples.
const ENRICHMENT_TIMEOUT: Duration = Duration::from_mins(1);

/// Show the whole product: push sample postings over OAuth, enrich them, and read them back
#[derive(Debug, Args)]
pub struct Demo {
    /// Keep the demo's database and keys in this directory instead of a temporary one
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,

    /// Stop after the table instead of serving until Ctrl-C
    #[arg(long)]
    exit: bool,
}

impl Demo {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let stop = StopSignals::listen()
            .context("cannot listen to signals")?
            .asked();
        tokio::pin!(stop);
        let home = Home::new(self.data_dir.as_deref(), self.exit)
            .context("cannot create a directory for the demo; name one with --data-dir")?;
        let mut running = Running::start(&home.service()?, None).await?;
        let (database, url) = (running.database.clone(), running.public_url.clone());
        let console = running.console.as_ref().map(|console| console.url.clone());

        let shown = tokio::select! {
            shown = show(&database, &url, console.as_deref(), &home, self.exit) => shown.map(|()| ExitCode::SUCCESS),
            error = running.failed() => Err(error),
            () = &mut stop => Ok(ExitCode::from(INTERRUPTED)),
        };
        let is_done = self.exit || !matches!(shown, Ok(ExitCode::SUCCESS));
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
}

async fn show(
    database: &Stores,
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

    if exits {
        output::print(format_args!("{}\n", curl::serve_again(url, home)?))?;
    }
    output::print(curl::lines(url, &credentials))?;
    if !exits {
        if let Some(console) = console {
            past::record(database).await?;
            complaints::send(database, credentials.client_id.parse()?).await?;
            let by = demo_operator()?;
            let operator = by.operator.clone();
            let link = operators::link(&*database.sign_in_tokens, console, operator, &by).await?;
            output::print(format_args!(
                "\nThe operators' console, with two made-up weeks before today, a report and an \
                 objection, by a link that works once: {link}"
            ))?;
            let client = database
                .clients
                .find(credentials.client_id.parse()?)
                .await?;
            let client = client.context("the demo's client is gone")?;
            let (tokens, now) = (&*database.sign_in_tokens, clock::now());
            let (link, _) =
                client_link(tokens, &client, LinkMaker::Operator(&by), url, now).await?;
            output::print(format_args!(
                "The demo client's own pages, by another link: {link}"
            ))?;
        }
        output::print(format_args!(
            "\nServing until Ctrl-C. API documentation: {url}/docs"
        ))?;
    }
    Ok(())
}

async fn wait_for_enrichment(database: &Stores) -> anyhow::Result<()> {
    let (mut last, mut since) = (None, Instant::now());
    let mut bar: Option<ProgressBar> = None;
    loop {
        let backlog = database.outbox.backlog(workers::kinds()).await?;
        let enrichments = backlog.iter().find(|backlog| backlog.kind == ENRICH.kind());
        let waiting = enrichments.map_or(0, |backlog| backlog.waiting);
        let bar = bar.get_or_insert_with(|| progress::of_items(waiting).with_message("enriched"));
        bar.set_position(bar.length().unwrap_or_default().saturating_sub(waiting));
        if waiting == 0 {
            bar.finish_and_clear();
            return Ok(());
        }
        if last != Some(waiting) {
            (last, since) = (Some(waiting), Instant::now());
        }
        if since.elapsed() > ENRICHMENT_TIMEOUT {
            bar.finish_and_clear();
            bail!(
                "{waiting} samples wait, and none was enriched for {} s; `posthaste outbox list` \
                 with the demo's --data-dir shows what they wait for",
                ENRICHMENT_TIMEOUT.as_secs()
            );
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
