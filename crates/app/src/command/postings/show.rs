use std::fmt::Write as _;

use anyhow::bail;
use clap::Args;
use domain::{
    posting::{PostingView, Rejection},
    store::PostingReader,
};
use kernel::{SourceIdentifier, Version};
use serde::Serialize;
use serde_json::Value;
use views::posting::PostingWithHistory;

use super::resolve;
use crate::{
    args::{AppealArgs, JsonArgs, StoreArgs, values},
    output,
    text::{lines as plain_text, plain},
};

/// Show one posting with its history
#[derive(Debug, Args)]
pub struct Show {
    /// The posting's unique source identifier, or its UUID
    #[arg(value_name = "ID", value_parser = values::source_identifier)]
    id: SourceIdentifier,
    #[command(flatten)]
    json: JsonArgs,
    #[command(flatten)]
    appeal: AppealArgs,
    #[command(flatten)]
    store: StoreArgs,
}

impl Show {
    pub async fn run(self) -> anyhow::Result<()> {
        let database = self.store.open().await?;
        let id = resolve(&*database.store, &self.id).await?;
        let appeal = self.appeal.appeal_url.as_deref();
        output::print(show(&*database.postings, &id, appeal, self.json.enabled).await?)
    }
}

#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    posting: PostingWithHistory<'a>,
    version: Version,
}

const FIELDS: &str = "unique_source_identifier  uuid  version  status  status_reason  is_featured  \
     decision/outcome  decision/by  decision/version  decision/at  decision/code  \
     decision/sentence  decision/passages  decision/ground  decision/by_notice  decision/appeal  \
     decision/objection/at  decision/objection/state  decision/objection/sentence  company/name  company/website_url  \
     company/logo_path  employment_types  location_types  location_city  location_country_code  \
     location_region?  location_postal_code?  locations?  latitude  longitude  salary_min  salary_max  salary_currency_code  salary_period  \
     application_email  application_url  metadata  created_at  updated_at  published_at  \
     expire_at  expired_at  expiration_reason  valid_through?  date_posted?  requisition_id?";

const HISTORY: &str = "AT=at  STATUS=status  BY=by  =reason:below";

pub(super) async fn show(
    postings: &dyn PostingReader,
    id: &SourceIdentifier,
    appeal: Option<&str>,
    as_json: bool,
) -> anyhow::Result<String> {
    let Some(view) = postings.find(id).await? else {
        bail!(Rejection::NotFound);
    };
    let shown = Shown {
        posting: PostingWithHistory::new(&view, appeal),
        version: view.posting.version,
    };
    if as_json {
        Ok(output::json(&shown)?)
    } else {
        text(&view, &serde_json::to_value(shown)?)
    }
}

fn text(view: &PostingView, shown: &Value) -> anyhow::Result<String> {
    let title = plain(&view.posting.details.title);
    let fields = output::record(shown, FIELDS)?;
    let history = shown["history"].as_array().map_or(&[][..], Vec::as_slice);
    let history = output::table(HISTORY, history)?;
    let mut text = format!("{title}\n\n{fields}\n\n{history}\n");
    if !view.findings.remarks.is_empty() {
        let remarks = view.findings.remarks.iter();
        let remarks: Vec<_> = remarks
            .map(|it| format!("{}: {}", it.code, it.sentence))
            .collect();
        section(&mut text, "Remarks", &remarks.join("\n"));
    }
    match &view.texts {
        Some(texts) => {
            section(&mut text, "Description", &texts.markdown);
            section(&mut text, "Redacted description", &texts.redacted_markdown);
        }
        None => section(&mut text, "Description as pushed", view.description()),
    }
    text.truncate(text.trim_end().len());
    Ok(text)
}

fn section(text: &mut String, heading: &str, body: &str) {
    _ = write!(text, "\n── {heading} ──\n\n");
    let body = plain_text(body);
    text.push_str(if body.trim().is_empty() {
        "(empty)"
    } else {
        body.trim_end()
    });
    text.push('\n');
}
