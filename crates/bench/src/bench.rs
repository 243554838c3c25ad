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

pub struct Bench<'run> {
    pub program: &'run Path,
    pub wrk: &'run Path,
    /// The folder with `tails.lua`.
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
    pub fn server_of(&self, backend: Backend) -> Option<&'run Server> {
        self.server.filter(|_| backend == Backend::Postgres)
    }

    pub fn database(&self, backend: Backend, name: &str) -> Result<String> {
        if let Some(server) = self.server_of(backend) {
            return server.create(name);
        }
        let folder = self.folder.join(name);
        fs::create_dir_all(&folder)?;
        Ok(format!("sqlite://{}", folder.join("bench.db").display()))
    }

    pub fn installation(
        &self,
        program: &'run Path,
        database: &str,
        name: &str,
    ) -> Result<Installation<'run>> {
        let folder = self.folder.join(name);
        Installation::new(program, database.to_owned(), folder, self.interrupt)
    }

    pub fn watched(&self, service: &Service, backend: Backend) -> Watched {
        Watched {
            service: Some(service.id()),
            database: self.server_of(backend).map(|server| server.process),
        }
    }

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

    pub fn floor_database(&self, name: &str) -> Result<String> {
        let url = self.database(Backend::Postgres, name)?;
        // This start only runs the migrations.
        self.installation(self.program, &url, name)?;
        self.floor(&url)?.seed()?;
        Ok(url)
    }

    pub fn floor<'floor>(&'floor self, url: &'floor str) -> Result<Floor<'floor>> {
        Ok(Floor {
            server: self.server.context("PostgreSQL was not started")?,
            url,
            folder: self.folder,
            seeds: self.seeds,
        })
    }
}
