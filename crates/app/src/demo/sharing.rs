use anyhow::Context as _;
use kernel::Prefixes;
use serde_json::json;
use stores::Stores;

use super::{
    integration::{integration, push_samples},
    samples,
    table::{refusal, status},
};
use crate::output;

const CLIENTS: [(&str, &str, &str); 2] = [
    ("lumenfold", "lumenfold-", "lumenfold-17"),
    ("cobalt", "cobalt:", "cobalt:backend"),
];

/// A client's columns: the answers for its own posting and for the other client's posting.
const COLUMNS: &str =
    "CLIENT=name  PREFIX=prefix  lumenfold-17=answers/0  cobalt:backend=answers/1";

pub async fn render(database: &Stores, url: &str) -> anyhow::Result<String> {
    let mut lines = String::new();
    for (_, _, posting) in CLIENTS {
        lines += samples::line(posting).context("there is no such sample")?;
        lines.push('\n');
    }
    let (mut shown, mut refusals) = (Vec::new(), Vec::new());
    for (name, prefix, _) in CLIENTS {
        let credentials = integration(database, name, Prefixes::new(&[prefix])?).await?;
        let rows = push_samples(url, credentials, &lines).await?;
        let answers = rows.iter().filter_map(|row| row.answers.first());
        let statuses: Vec<_> = answers.clone().map(status).collect();
        refusals.extend(
            answers
                .filter_map(refusal)
                .map(|why| format!("{name}: {why}")),
        );
        shown.push(json!({ "name": name, "prefix": prefix, "answers": statuses }));
    }
    Ok(format!(
        "Two integrations that share the board push each a posting of both:\n{}\n{}",
        output::table(COLUMNS, &shown)?,
        refusals.join("\n")
    ))
}
