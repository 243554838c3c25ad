//! Databases with many postings: copies of a few that were pushed.

use anyhow::{Context, Result};

use crate::measure::Backend;
use crate::round::Bench;
use crate::service::{Installation, Service};

/// The postings that are pushed, and that the others are copies of.
const PUSHED: u64 = 60;
/// The postings that a statement copies.
const STEP: u64 = 250_000;

/// Copies the pushed postings. The copies are some seconds apart, their ids are of that time as the
/// service makes them (UUID version 7), and each has a description of 576 bytes, its texts, and an
/// entry of history.
const COPY: &str = "SET session_replication_role = replica;
    WITH pushed AS MATERIALIZED (SELECT p, row_number() OVER () AS k FROM postings p
        WHERE starts_with(source_identifier, 'pushed-')),
    added AS (INSERT INTO postings
        SELECT copy.* FROM generate_series(FIRST::bigint, LAST) AS n
        JOIN pushed AS one ON one.k = 1 + n % PUSHED,
        LATERAL jsonb_populate_record(one.p, jsonb_build_object(
            'id', (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint - n * 4000), 12, '0')
                || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid,
            'source_identifier', 'copy-' || n,
            'title', 'Copy ' || n,
            'raw_description', repeat(md5(n::text), 18),
            'status', (ARRAY['approved', 'expired', 'rejected', 'PendingEnrichment'])[1 + n % 4],
            'published_at', CASE WHEN n % 4 = 0 THEN now() - n * interval '3 seconds' END,
            'created_at', now() - n * interval '4 seconds',
            'updated_at', now() - n * interval '2 seconds')) AS copy
        RETURNING id, created_at, status, raw_description),
    texts AS (INSERT INTO posting_texts (posting_id, markdown, redacted_markdown)
        SELECT id, raw_description, raw_description FROM added)
    INSERT INTO posting_history (posting_id, version, step, at, status, actor)
        SELECT id, 1, 0, created_at, status, 'enricher' FROM added";

impl Bench<'_> {
    /// Adds so many postings to a database on PostgreSQL.
    pub fn fill(
        &self,
        database: &str,
        installation: &Installation<'_>,
        service: &Service,
        postings: u64,
    ) -> Result<()> {
        let server = self.server.context("PostgreSQL was not started")?;
        installation.push(service, &["pushed"], PUSHED)?;
        let mut first = 1;
        while first <= postings {
            let last = postings.min(first.saturating_add(STEP - 1));
            let copy = COPY
                .replace("FIRST", &first.to_string())
                .replace("LAST", &last.to_string())
                .replace("PUSHED", &PUSHED.to_string());
            server.ask(database, &copy, self.interrupt)?;
            first = last + 1;
        }
        server.ask(database, "VACUUM ANALYZE", self.interrupt)?;
        server.settle(self.interrupt)
    }

    /// The size of a database on PostgreSQL, in bytes.
    pub fn size(&self, database: &str) -> Result<u64> {
        let server = self.server.context("PostgreSQL was not started")?;
        let size = "SELECT pg_database_size(current_database())";
        Ok(server.ask(database, size, self.interrupt)?.trim().parse()?)
    }
}

/// The store that copies are made on.
pub const BACKEND: Backend = Backend::Postgres;
