//! Two integrations that share the board, each with a prefix of its own.

use anyhow::Context as _;
use kernel::Prefixes;

use super::{
    integration::{integration, push_samples},
    samples,
    table::{refusal, status, table},
};
use crate::database::Database;

/// The clients, by their prefixes, with a posting of each.
const CLIENTS: [(&str, &str, &str); 2] = [
    ("lumenfold", "lumenfold-", "lumenfold-17"),
    ("cobalt", "cobalt:", "cobalt:backend"),
];

/// Lets each of them push its own posting and the other one's, and renders the answers.
pub async fn render(database: &Database, url: &str) -> anyhow::Result<String> {
    let mut lines = String::new();
    for (_, _, posting) in CLIENTS {
        lines += samples::line(posting).context("there is no such sample")?;
        lines.push('\n');
    }
    let mut table = table(["CLIENT", "PREFIX", CLIENTS[0].2, CLIENTS[1].2]);
    let mut refusals = Vec::new();
    for (name, prefix, _) in CLIENTS {
        let credentials = integration(database, name, Prefixes::new(&[prefix])?).await?;
        let rows = push_samples(url, credentials, &lines).await?;
        let mut cells = vec![name.to_owned(), prefix.to_owned()];
        for row in &rows {
            let answer = row.answers.first().context("a push was not answered")?;
            cells.push(status(answer));
            refusals.extend(refusal(answer).map(|why| format!("{name}: {why}")));
        }
        table.add_row(cells);
    }
    Ok(format!(
        "Two integrations that share the board push each a posting of both:\n{}\n{}",
        table.trim_fmt(),
        refusals.join("\n")
    ))
}
