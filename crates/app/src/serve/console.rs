//! The listener of the operators' console, and what its pages call.

use std::sync::Arc;

use ::webhooks::Sender;
use adapters_console::{Console, Ports, Settings};
use adapters_http::{Hosts, Timeouts, new_migration_token, new_subscriber_id};
use domain::usecase::CatalogueCorrections;
use tokens::ClientSecret;

use super::{
    exposure,
    integration::shared_ports,
    listener::{self, Listener, Running},
};
use crate::{
    cli::{ConsoleArgs, WorkArgs},
    database::Database,
};

const LISTENER: Listener = Listener {
    what: "console",
    variable: "POSTHASTE_CONSOLE_BIND",
    option: "--console-bind",
};

/// A running console.
pub struct ConsoleServer {
    /// The address that browsers use.
    pub url: String,
    pub running: Running,
}

impl ConsoleServer {
    /// Starts to listen, unless the console is off.
    pub fn start(
        args: &ConsoleArgs,
        work: &WorkArgs,
        database: &Database,
        sender: Arc<dyn Sender>,
        corrections: Arc<dyn CatalogueCorrections>,
    ) -> anyhow::Result<Option<Self>> {
        let Some(listener) = listener::bind(args.place.bind(), &LISTENER)? else {
            return Ok(None);
        };
        let (url, proxy) = (args.place.console_url.clone(), args.proxy()?);
        let url = url.unwrap_or_else(|| format!("http://{}", listener.addr()));
        exposure::warn_of_console(&url, listener.addr(), proxy.is_some());
        let settings = Settings {
            url: url.clone(),
            proxy,
            has_newsletter: work.accounts.settings().has_account(),
        };
        let console = Console::new(ports(database, sender, corrections, work), settings);
        let application = listener.serve_pages(
            move |routes| console.configure(routes),
            Hosts::of_url(&url),
            Timeouts::default(),
        )?;
        let running = Running::start(application, &LISTENER);
        tracing::info!("the console is at {url}");
        Ok(Some(Self { url, running }))
    }
}

fn ports(
    database: &Database,
    sender: Arc<dyn Sender>,
    corrections: Arc<dyn CatalogueCorrections>,
    work: &WorkArgs,
) -> Ports {
    Ports {
        shared: shared_ports(database, sender, corrections, work),
        store: Arc::clone(&database.store),
        lifetime: work.lifetime.lifetime,
        companies: Arc::clone(&database.companies),
        new_secret: Arc::new(|| {
            let secret = ClientSecret::generate().ok()?;
            Some((secret.expose().to_owned(), secret.digest()))
        }),
        outbox: Arc::clone(&database.outbox),
        kinds: workers::kinds().to_vec(),
        subscribers: Arc::clone(&database.newsletter),
        new_subscriber: Arc::new(|| (new_subscriber_id(), new_migration_token())),
        subscriber_counts: Arc::clone(&database.subscribers),
        accounts: Arc::clone(&database.accounts),
        audit: Arc::clone(&database.audit),
    }
}
