use access::{NewClient, Scope};
use anyhow::{Context as _, bail};
use kernel::{Operator, Prefixes, SourceIdentifier, audit::Attribution};
use push::{Credentials, Loader, Options, Progress, Receipts, Source};
use secrecy::SecretString;
use stores::Stores;
use uuid::Uuid;

use super::{
    samples::{self, Sample},
    table::Row,
};
use crate::{operators::create_client, progress};

pub fn demo_operator() -> anyhow::Result<Attribution> {
    Ok(Attribution {
        id: Uuid::now_v7(),
        operator: Operator::new("demo")?,
    })
}

pub async fn integration(
    database: &Stores,
    name: &str,
    prefixes: Prefixes,
) -> anyhow::Result<Credentials> {
    let by = demo_operator()?;
    let new = NewClient {
        name: name.to_owned(),
        scopes: vec![Scope::JobPostingsWrite, Scope::JobPostingsRead],
        prefixes,
        requests_per_minute: None,
        expect_every: None,
    };
    let (client, secret) = create_client(&*database.clients, &by, new).await?;
    Ok(Credentials {
        client_id: client.id.to_string(),
        client_secret: SecretString::from(secret.expose().to_owned()),
    })
}

pub async fn push_samples(
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

    let bar = progress::of_items(samples.len() as u64).with_message("pushed");
    let url = url.parse().context("the service has no usable address")?;
    let loader = Loader::connect(&url, credentials, Progress::default()).await?;
    let options = Options {
        receipts: Receipts::All,
        ..Options::default()
    };
    let receipts = loader.push(&Source::text(lines), &options).await?.receipts;
    if receipts.len() != samples.len() {
        bail!(
            "{} of {} samples were answered",
            receipts.len(),
            samples.len()
        );
    }
    for (Sample { id, .. }, receipt) in samples.iter().zip(receipts) {
        let row = rows.iter_mut().find(|row| row.id.as_str() == id);
        row.context("a sample has no row")?.answers.push(receipt);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(rows)
}
