//! The demo's data directory, and the service on it.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::{self, Path, PathBuf},
    time::Duration,
};

use domain::posting::Lifetime;
use ingest::LaneSettings;
use tempfile::TempDir;
use webhooks::PrivateAddresses;
use workers::WorkerSettings;

use crate::{
    cli::DEFAULT_BOARD_NAME,
    config::{AdminBind, DatabaseUrl, EnricherKind},
    console::ConsoleConfig,
    database::Outdated,
    newsletter_service::Links,
    provider,
    serve::ServiceConfig,
};

/// The demo's data directory.
#[derive(Debug)]
pub struct Home {
    pub directory: PathBuf,
    /// Removes the directory at the end.
    _temporary: Option<TempDir>,
}

impl Home {
    /// Uses the chosen directory or a temporary one, which stays after `--exit`, so that it can be
    /// served again.
    pub fn new(chosen: Option<&Path>, stays: bool) -> io::Result<Self> {
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

    pub fn database(&self) -> PathBuf {
        self.directory.join("posthaste.db")
    }

    pub fn service(&self) -> ServiceConfig {
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
            work: WorkerSettings {
                lifetime: Lifetime::days(60),
                ..WorkerSettings::default()
            },
            enricher: Some(EnricherKind::Builtin),
            // The demo calls no external services.
            accounts: provider::none(),
            links: Links::Move,
            private: PrivateAddresses::default(),
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
