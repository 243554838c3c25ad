//! What every measurement needs: programs, folders and databases.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use xtask::process::Interrupt;

use crate::cpu::Watched;
use crate::floor::Floor;
use crate::load::Load;
use crate::measure::{Backend, Scenario};
use crate::postgres::Server;
use crate::service::{Installation, Service};

/// The programs, folders and settings of every measurement.
pub struct Bench<'run> {
    /// The program under test.
    pub program: &'run Path,
    pub wrk: &'run Path,
    /// The working folder, which contains `tails.lua`.
    pub folder: &'run Path,
    pub interrupt: &'run Interrupt,
    pub server: Option<&'run Server>,
    pub scenarios: &'run [Scenario],
    pub runs: u32,
    pub connections: u32,
    pub seconds: u64,
    pub seeds: u64,
}

impl<'run> Bench<'run> {
    /// The server of a store.
    pub fn server_of(&self, backend: Backend) -> Option<&'run Server> {
        self.server.filter(|_| backend == Backend::Postgres)
    }

    /// Creates an empty database of a store.
    pub fn database(&self, backend: Backend, name: &str) -> Result<String> {
        if let Some(server) = self.server_of(backend) {
            return server.create(name);
        }
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder)?;
        Ok(format!("sqlite://{}", folder.join("bench.db").display()))
    }

    /// Sets a build of the program up on a database.
    pub fn installation(
        &self,
        program: &'run Path,
        database: &str,
        name: &str,
    ) -> Result<Installation<'run>> {
        let folder = self.folder.join(name);
        Installation::new(program, database.to_owned(), folder, self.interrupt)
    }

    /// The processes whose CPU time is measured.
    pub fn watched(&self, service: &Service, backend: Backend) -> Watched {
        Watched {
            service: Some(service.id()),
            database: self.server_of(backend).map(|server| server.process),
        }
    }

    /// The load generator for a service.
    pub fn load<'load>(&self, service: &'load Service, backend: Backend) -> Load<'load>
    where
        'run: 'load,
    {
        Load {
            wrk: self.wrk,
            folder: self.folder,
            interrupt: self.interrupt,
            address: service.address,
            token: &service.token,
            seeds: self.seeds,
            watched: self.watched(service, backend),
        }
    }

    /// Creates and fills a database for the usual transaction.
    pub fn floor_database(&self, name: &str) -> Result<String> {
        let url = self.database(Backend::Postgres, name)?;
        // Only for the migrations.
        self.installation(self.program, &url, name)?;
        self.floor(&url)?.seed()?;
        Ok(url)
    }

    /// The usual transaction on a database.
    pub fn floor<'floor>(&'floor self, url: &'floor str) -> Result<Floor<'floor>> {
        Ok(Floor {
            server: self.server.context("PostgreSQL was not started")?,
            url,
            folder: self.folder,
            seeds: self.seeds,
        })
    }
}
