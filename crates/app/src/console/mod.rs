//! The listener of the operators' console, and what its pages call.

mod store;

use std::{net::SocketAddr, sync::Arc};

use ::webhooks::Sender;
use adapters_console::{Console, Ports, Settings};
use adapters_http::{AdminApplication, AdminListener, Hosts, StopHandle, Timeouts};
use anyhow::bail;
use domain::usecase::UndoCatalogue;
use runtime::clock;
use tokens::ClientSecret;
use tokio::task::JoinHandle;

use self::store::StoreCommands;
use crate::{
    cli::{ConsoleArgs, WorkArgs, values::AdminBind},
    database::Database,
    exposure,
    integration::shared_ports,
};

/// A running console.
pub struct ConsoleServer {
    address: SocketAddr,
    /// The address that browsers use.
    pub url: String,
    stop: StopHandle,
    server: JoinHandle<()>,
}

impl ConsoleServer {
    /// Starts to listen, unless the console is off.
    pub fn start(
        args: &ConsoleArgs,
        work: &WorkArgs,
        database: &Database,
        sender: Arc<dyn Sender>,
        undo: Arc<dyn UndoCatalogue>,
    ) -> anyhow::Result<Option<Self>> {
        let (address, is_asked_for) = match args.place.bind() {
            AdminBind::Off => return Ok(None),
            AdminBind::IfFree(address) => (address, false),
            AdminBind::At(address) => (address, true),
        };
        let listener = match AdminListener::bind(address) {
            Ok(listener) => listener,
            Err(error) if is_asked_for => bail!(
                "POSTHASTE_CONSOLE_BIND: {error}; --console-bind takes another address and port, \
                 or `off`"
            ),
            Err(error) => {
                tracing::warn!(
                    %error,
                    "there is no console; POSTHASTE_CONSOLE_BIND takes another address, or `off`"
                );
                return Ok(None);
            }
        };
        let (url, proxy) = (args.place.console_url.clone(), args.proxy()?);
        let url = url.unwrap_or_else(|| format!("http://{}", listener.addr()));
        exposure::warn_of_console(&url, address, proxy.is_some());
        let settings = Settings {
            url: url.clone(),
            proxy,
            has_newsletter: work.accounts.settings().has_account(),
        };
        let console = Console::new(ports(database, sender, undo, work), settings);
        let application = listener.serve(
            move |routes| console.configure(routes),
            Hosts::of_url(&url),
            Timeouts::default(),
        )?;
        Ok(Some(Self::run(application, url)))
    }

    fn run(application: AdminApplication, url: String) -> Self {
        let (address, stop) = (application.addr(), application.stop_handle());
        tracing::info!("the console is at {url}");
        let server = tokio::spawn(async move {
            if let Err(error) = application.run().await {
                tracing::error!(%error, "the listener of the console failed");
            }
        });
        Self {
            address,
            url,
            stop,
            server,
        }
    }

    /// Stops after the requests in flight.
    pub async fn stop(self) {
        self.stop.stop().await;
        if let Err(error) = self.server.await {
            tracing::error!(%error, address = %self.address, "the console ended badly");
        }
    }
}

fn ports(
    database: &Database,
    sender: Arc<dyn Sender>,
    undo: Arc<dyn UndoCatalogue>,
    work: &WorkArgs,
) -> Ports {
    let decisions = StoreCommands {
        store: Arc::clone(&database.store),
        clients: Arc::clone(&database.clients),
        newsletter: Arc::clone(&database.newsletter),
        lifetime: work.lifetime.lifetime,
        clock: clock::system(),
    };
    Ports {
        shared: shared_ports(database, sender, undo, work),
        store: Arc::clone(&database.store),
        decisions: Arc::new(decisions),
        companies: Arc::clone(&database.companies),
        new_secret: Arc::new(|| {
            let secret = ClientSecret::generate().ok()?;
            Some((secret.expose().to_owned(), secret.digest()))
        }),
        outbox: Arc::clone(&database.outbox),
        kinds: workers::kinds::ALL.to_vec(),
        subscribers: Arc::clone(&database.newsletter),
        census: Arc::clone(&database.subscribers),
        accounts: Arc::clone(&database.accounts),
        audit: Arc::clone(&database.audit),
    }
}
