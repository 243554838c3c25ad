use domain::{posting::PostingView, store::PostingReader};
use kernel::{SourceIdentifier, Status};
use push::Receipt;
use serde_json::{Value, json};

use crate::{output, text::shorten};

const COLUMNS: &str = "ID=id  TITLE=title  HTTP=http  STATUS=status  WHERE=place  =why:below";
const TITLE: usize = 22;
const WHY: usize = 76;

#[derive(Debug)]
pub struct Row {
    pub id: SourceIdentifier,
    pub title: String,
    pub answers: Vec<Receipt>,
}

pub fn status(answer: &Receipt) -> String {
    let status = answer.status.map(|status| status.to_string());
    status.unwrap_or_else(|| "–".to_owned())
}

pub fn refusal(answer: &Receipt) -> Option<&str> {
    answer.is_refusal().then_some(&answer.message)
}

pub async fn render(rows: &[Row], postings: &dyn PostingReader) -> anyhow::Result<String> {
    let mut shown = Vec::new();
    for row in rows {
        shown.push(show(row, postings.find(&row.id).await?.as_ref()));
    }
    output::table(COLUMNS, &shown)
}

fn show(row: &Row, view: Option<&PostingView>) -> Value {
    let posting = view.map(|view| &view.posting);
    let http: Vec<_> = row.answers.iter().map(status).collect();
    let place = match view.map(|view| (view.posting.status(), view.coordinates)) {
        Some((Status::Approved, Some(at))) => format!("{:.2}, {:.2}", at.latitude, at.longitude),
        _ => String::new(),
    };
    let is_open = posting.is_some_and(|posting| posting.status() == Status::Approved);
    let reason = posting.and_then(|posting| posting.status_reason());
    // The API returns the whole reason.
    let first_sentence = |reason: &'_ str| reason.split_inclusive(". ").next().map(str::to_owned);
    let why = match row.answers.iter().find_map(refusal) {
        None if is_open => None,
        refusal => refusal.or(reason).and_then(first_sentence),
    };
    json!({
        "id": row.id.as_str(),
        "title": shorten(posting.map_or(&row.title, |posting| &posting.details.title), TITLE),
        "http": http.join(" "),
        "status": posting.map_or("refused", |posting| posting.status().as_str()),
        "place": place,
        "why": why.map(|why| shorten(why.trim_end(), WHY)),
    })
}
