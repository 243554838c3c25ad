//! The floor: the rate of a conventional service with one transaction per push, measured with
//! pgbench on the product's own tables.
//!
//! Each transaction locks the posting, writes a new version, and adds the event to the log. For a
//! new posting it also upserts the company and inserts into the history. Descriptions come from a
//! table, so pgbench does not send them. This can only raise the floor. Each description gets a
//! different suffix; otherwise the server would copy the compressed value.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::bodies::{COMPANIES, TAILS, Tail};
use crate::cpu::Watched;
use crate::measure::{Measurement, Scenario};
use crate::postgres::Server;

/// The number of pgbench clients at which the floor's rate is highest.
pub const CLIENTS: u32 = 16;

const TEMPLATES: &str = "
CREATE TABLE templates (
    id bigint PRIMARY KEY,
    country text NOT NULL,
    city text NOT NULL,
    currency text NOT NULL,
    salary_min bigint NOT NULL,
    salary_max bigint NOT NULL,
    location_type text NOT NULL,
    metadata json COMPRESSION lz4 NOT NULL,
    description text COMPRESSION lz4 NOT NULL
);
COPY templates FROM STDIN;
";

const SEED: &str = "
-- A conventional service keeps no digests.
ALTER TABLE postings ALTER COLUMN description_digest SET DEFAULT decode(repeat('00', 32), 'hex'),
    ALTER COLUMN description_essence SET DEFAULT decode(repeat('00', 32), 'hex');
INSERT INTO companies (id, name, website, website_key, name_key, site, logo_path, created_at,
    updated_at)
SELECT md5('company' || n)::uuid, 'Company ' || n, 'https://www.company-' || n || '.example',
    'company-' || n || '.example', 'company ' || n, 'company-' || n || '.example',
    'logos/' || n || '.png', now(), now()
FROM generate_series(0, :companies - 1) AS n;
INSERT INTO postings (id, source_identifier, version, status, moderated, company_id, is_featured,
    created_at, updated_at, title, employment_types, location_types, location_country_code,
    location_city, salary_min, salary_max, salary_currency_code, salary_period, application_url,
    metadata, raw_description)
SELECT gen_random_uuid(), kind || '-' || n, 1, 'PendingEnrichment', false,
    md5('company' || n % :companies)::uuid, false, now(), now(),
    'Backend Engineer (m/f/d) ' || kind || '-' || n, '{full-time}', ARRAY[location_type], country,
    city, salary_min, salary_max, currency, 'annually',
    'https://www.company-' || n % :companies || '.example/jobs/' || n, metadata, description
FROM unnest(ARRAY['keep', 'move']) AS kind
CROSS JOIN generate_series(0, :seeds - 1) AS n
JOIN templates ON templates.id = n % :tails;
INSERT INTO posting_history (posting_id, version, step, at, status, actor)
SELECT id, 1, 0, created_at, status, 'client:' || id FROM postings;
INSERT INTO events (commit_seq, at, name, subject, source_identifier, version, status)
SELECT 0, now(), 'JobPostingCreated', id, source_identifier, version, status FROM postings;
INSERT INTO outbox (kind, subject, next_at, created_at)
SELECT 'enrich', id, now(), now() FROM postings;
VACUUM ANALYZE;
";

const CREATE: &str = r"
\set n random(1, 1000000000000)
\set company random(0, :companies - 1)
\set template random(0, :tails - 1)
BEGIN;
SELECT * FROM postings WHERE source_identifier = 'new-' || :n FOR UPDATE;
INSERT INTO companies (id, name, website, website_key, name_key, site, logo_path, created_at,
    updated_at)
VALUES (md5('company' || :company)::uuid, 'Company ' || :company,
    'https://www.company-' || :company || '.example', 'company-' || :company || '.example',
    'company ' || :company, 'company-' || :company || '.example',
    'logos/' || :company || '.png', now(), now())
ON CONFLICT (id) DO UPDATE SET name = excluded.name, logo_path = excluded.logo_path,
    updated_at = excluded.updated_at;
INSERT INTO postings (id, source_identifier, version, status, moderated, company_id, is_featured,
    created_at, updated_at, title, employment_types, location_types, location_country_code,
    location_city, salary_min, salary_max, salary_currency_code, salary_period, application_url,
    metadata, raw_description)
SELECT md5('new-' || :n)::uuid, 'new-' || :n, 1, 'PendingEnrichment', false,
    md5('company' || :company)::uuid, false, now(), now(),
    'Backend Engineer (m/f/d) new-' || :n, '{full-time}', ARRAY[location_type], country, city,
    salary_min, salary_max, currency, 'annually',
    'https://www.company-' || :company || '.example/jobs/' || :n, metadata, description || :n
FROM templates WHERE id = :template;
INSERT INTO posting_history (posting_id, version, step, at, status, actor)
VALUES (md5('new-' || :n)::uuid, 1, 0, now(), 'PendingEnrichment',
    'client:00000000-0000-0000-0000-000000000000');
INSERT INTO events (commit_seq, at, name, subject, source_identifier, version, status)
VALUES (0, now(), 'JobPostingCreated', md5('new-' || :n)::uuid, 'new-' || :n, 1,
    'PendingEnrichment');
COMMIT;
";

const FULL: &str = r"
\set n random(0, :seeds - 1)
\set title random(1, 1000000000000)
\set template random(0, :tails - 1)
BEGIN;
SELECT * FROM postings WHERE source_identifier = 'move-' || :n FOR UPDATE;
UPDATE postings SET version = version + 1, updated_at = now(),
    title = 'Backend Engineer ' || :title, employment_types = '{full-time}',
    location_types = ARRAY[templates.location_type], location_country_code = templates.country,
    location_city = templates.city, salary_min = templates.salary_min,
    salary_max = templates.salary_max, salary_currency_code = templates.currency,
    salary_period = 'annually', metadata = templates.metadata,
    raw_description = templates.description || :title
FROM templates WHERE source_identifier = 'move-' || :n AND templates.id = :template;
INSERT INTO events (commit_seq, at, name, subject, source_identifier, version, status)
SELECT 0, now(), 'JobPostingUpdated', id, source_identifier, version, status
FROM postings WHERE source_identifier = 'move-' || :n;
COMMIT;
";

const PARTIAL: &str = r"
\set n random(0, :seeds - 1)
\set title random(1, 1000000000000)
\set salary random(30000, 80000)
BEGIN;
SELECT * FROM postings WHERE source_identifier = 'move-' || :n FOR UPDATE;
UPDATE postings SET version = version + 1, updated_at = now(),
    title = 'Backend Engineer ' || :title, salary_min = :salary, salary_max = :salary + 9000
WHERE source_identifier = 'move-' || :n;
INSERT INTO events (commit_seq, at, name, subject, source_identifier, version, status)
SELECT 0, now(), 'JobPostingUpdated', id, source_identifier, version, status
FROM postings WHERE source_identifier = 'move-' || :n;
COMMIT;
";

const UNCHANGED: &str = r"
\set n random(0, :seeds - 1)
BEGIN;
SELECT * FROM postings WHERE source_identifier = 'keep-' || :n FOR UPDATE;
COMMIT;
";

const fn script(scenario: Scenario) -> &'static str {
    match scenario {
        Scenario::Create => CREATE,
        Scenario::Full => FULL,
        Scenario::Partial => PARTIAL,
        Scenario::Unchanged => UNCHANGED,
    }
}

pub struct Floor<'run> {
    pub server: &'run Server,
    pub url: &'run str,
    pub folder: &'run Path,
    pub seeds: u64,
}

impl Floor<'_> {
    pub fn seed(&self) -> Result<()> {
        let mut sql = format!(
            "\\set companies {COMPANIES}\n\\set seeds {}\n\\set tails {TAILS}\n{TEMPLATES}",
            self.seeds
        );
        // The rows must follow the COPY statement directly.
        sql.truncate(sql.trim_end().len());
        sql.push('\n');
        for n in 0..TAILS {
            let tail = Tail::new(n);
            let _ = writeln!(
                sql,
                "{n}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
                tail.country,
                tail.city,
                tail.currency,
                tail.salary_min,
                tail.salary_max,
                tail.location_type,
                copied(&tail.metadata),
                copied(&tail.description),
            );
        }
        sql.push_str("\\.\n");
        sql.push_str(SEED);
        let file = self.folder.join("floor.sql");
        fs::write(&file, sql)?;
        self.server.run_file(self.url, &file)
    }

    pub fn measure(&self, scenario: Scenario, clients: u32, seconds: u64) -> Result<Measurement> {
        let watched = Watched {
            service: None,
            database: Some(self.server.process),
        };
        let file = self.folder.join("floor.sql");
        fs::write(&file, script(scenario))?;
        self.pgbench(&file, clients, 1)?;
        let before = watched.used()?;
        let output = self.pgbench(&file, clients, seconds)?;
        let used = watched.used()?;
        let done = parse(&output).with_context(|| format!("pgbench did not report:\n{output}"))?;
        let failed = (done.failed > 0.0).then(|| format!("{} failed transactions", done.failed));
        Ok(Measurement {
            requests: done.transactions,
            seconds: done.transactions / done.rate,
            cpu: used.since(before, done.transactions),
            faults: failed.into_iter().collect(),
            ..Measurement::default()
        })
    }

    fn pgbench(&self, script: &Path, clients: u32, seconds: u64) -> Result<String> {
        let mut command = Command::new(self.server.cluster.program("pgbench"));
        command
            .args(["--no-vacuum", "--protocol", "prepared"])
            .args(["--client", &clients.to_string()])
            .args(["--jobs", &clients.min(2).to_string()])
            .args(["--time", &seconds.to_string()])
            .args(["--define", &format!("companies={COMPANIES}")])
            .args(["--define", &format!("tails={TAILS}")])
            .args(["--define", &format!("seeds={}", self.seeds)])
            .arg("--file")
            .arg(script)
            .arg(self.url);
        self.server.interrupt.output(&mut command)
    }
}

fn copied(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\t', "\\t")
        .replace('\n', "\\n")
}

#[derive(Debug, PartialEq)]
struct Done {
    transactions: f64,
    failed: f64,
    rate: f64,
}

fn parse(output: &str) -> Result<Done> {
    let after = |start: &str| {
        let line = output.lines().find_map(|line| line.strip_prefix(start));
        let word = line.and_then(|rest| rest.split_whitespace().next());
        word.with_context(|| format!("no \"{start}\""))
    };
    let done = Done {
        transactions: after("number of transactions actually processed:")?.parse()?,
        failed: after("number of failed transactions:")?.parse()?,
        rate: after("tps =")?.parse()?,
    };
    if done.rate <= 0.0 {
        bail!("nothing was processed");
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use pg_cluster::Cluster;
    use xtask::process::Interrupt;

    use super::*;

    #[test]
    fn the_scripts_fit_the_tables() {
        let folder = tempfile::tempdir().unwrap();
        let server = Server {
            interrupt: Interrupt::default(),
            cluster: Cluster::start().unwrap(),
            process: 0,
        };
        let url = server.cluster.url();
        let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/postgres");
        let migrations = fs::read_dir(migrations).unwrap().map(Result::unwrap);
        let mut migrations: Vec<_> = migrations.map(|it| it.path().join("up.sql")).collect();
        migrations.sort();
        for migration in migrations {
            server.run_file(url, &migration).unwrap();
        }
        let floor = Floor {
            server: &server,
            url,
            folder: folder.path(),
            seeds: 8,
        };
        floor.seed().unwrap();
        let file = folder.path().join("script.sql");
        for scenario in [
            Scenario::Create,
            Scenario::Full,
            Scenario::Partial,
            Scenario::Unchanged,
        ] {
            fs::write(&file, script(scenario)).unwrap();
            let output = floor.pgbench(&file, 1, 1).unwrap();
            assert!(parse(&output).unwrap().transactions > 0.0, "{output}");
        }
    }

    #[test]
    fn the_report_of_pgbench_is_read() {
        let output = "transaction type: /tmp/script.sql\nscaling factor: 1\n\
            number of transactions actually processed: 8123\n\
            number of failed transactions: 2 (0.025%)\n\
            latency average = 3.9 ms\ninitial connection time = 41.3 ms\n\
            tps = 4061.500000 (without initial connection time)\n";
        let expected = Done {
            transactions: 8123.0,
            failed: 2.0,
            rate: 4061.5,
        };
        assert_eq!(parse(output).unwrap(), expected);
        assert!(parse("pgbench: error").is_err());
    }

    #[test]
    fn copied_texts_stay_on_their_line() {
        assert_eq!(copied("a\nb\tc\\d"), "a\\nb\\tc\\\\d");
    }
}
