//! Renders the outcome of the samples as a table.

use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets::NOTHING};
use domain::{posting::PostingView, store::PostingReader};
use kernel::{SourceIdentifier, Status};
use push::Receipt;

use crate::text::{plain, shorten};

const WIDTH: u16 = 80;
const TITLE_LENGTH: usize = 18;

/// A posting, with the answers to its pushes.
#[derive(Debug)]
pub struct Row {
    pub id: SourceIdentifier,
    pub title: String,
    pub answers: Vec<Receipt>,
}

/// An empty table with headings, in the style of every list.
pub fn table<const N: usize>(headings: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(headings);
    table
}

/// The status of an answer, or a dash without one.
pub fn status(answer: &Receipt) -> String {
    let status = answer.status.map(|status| status.to_string());
    status.unwrap_or_else(|| "–".to_owned())
}

/// The reason of a refusal.
pub fn refusal(answer: &Receipt) -> Option<&str> {
    answer.is_refusal().then_some(&answer.message)
}

/// Reads the postings' status, and renders the table.
pub async fn render(rows: &[Row], postings: &dyn PostingReader) -> anyhow::Result<String> {
    let mut table = table(["ID", "TITLE", "HTTP", "STATUS", "WHY, OR WHERE"]);
    table
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(WIDTH);
    for row in rows {
        let view = postings.find(&row.id).await?;
        let (status, note) = outcome(row, view.as_ref());
        let title = view
            .as_ref()
            .map_or(&row.title, |view| &view.posting.details.title);
        let title = shorten(&plain(title), TITLE_LENGTH);
        table.add_row([
            plain(row.id.as_str()),
            title,
            row.answers
                .iter()
                .map(self::status)
                .collect::<Vec<_>>()
                .join(" "),
            status,
            note,
        ]);
    }
    // The last column takes the remaining width.
    for column in 0..4 {
        if let Some(column) = table.column_mut(column) {
            column
                .set_padding((0, 1))
                .set_constraint(ColumnConstraint::ContentWidth);
        }
    }
    if let Some(column) = table.column_mut(4) {
        column
            .set_padding((0, 0))
            .set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(16)));
    }
    Ok(table.trim_fmt())
}

fn outcome(row: &Row, view: Option<&PostingView>) -> (String, String) {
    let refusal = row.answers.iter().find_map(refusal);
    let Some(view) = view else {
        return (
            "refused".to_owned(),
            plain(refusal.unwrap_or("never pushed")),
        );
    };
    let posting = &view.posting;
    let note = match (refusal, posting.status, view.coordinates) {
        (Some(refusal), ..) => refusal.to_owned(),
        (None, Status::Approved, Some(at)) => format!("{:.2}, {:.2}", at.latitude, at.longitude),
        (None, Status::Approved, None) => "no place".to_owned(),
        (None, ..) => posting.status_reason.clone().unwrap_or_default(),
    };
    (posting.status.to_string(), first_sentence(&plain(&note)))
}

/// The first sentence of a reason; the API has all of it.
fn first_sentence(text: &str) -> String {
    text.split_inclusive(". ")
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_owned()
}
