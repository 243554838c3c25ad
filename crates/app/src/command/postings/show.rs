//! `posthaste postings show`: one posting as text or as JSON.

use std::fmt::Write as _;

use anyhow::bail;
use clap::Args;
use domain::{
    posting::{Posting, PostingView, Rejection},
    store::PostingReader,
};
use kernel::{SourceIdentifier, Version};
use serde::Serialize;

use super::resolve;
use crate::{
    cli::{AppealArgs, JsonArgs, StoreArgs, values},
    output::{self, Fields, time},
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

/// A posting as the API shows it, with the version that a command may name.
#[derive(Serialize)]
struct Shown<T> {
    #[serde(flatten)]
    posting: T,
    version: Version,
}

pub(super) async fn show(
    postings: &dyn PostingReader,
    id: &SourceIdentifier,
    appeal: Option<&str>,
    as_json: bool,
) -> anyhow::Result<String> {
    let Some(view) = postings.find(id).await? else {
        bail!(Rejection::NotFound);
    };
    if as_json {
        Ok(output::json(&Shown {
            posting: adapters_http::posting_data(&view, appeal),
            version: view.posting.version,
        })?)
    } else {
        Ok(text(&view, appeal))
    }
}

/// The posting as text. Writing to a string cannot fail.
fn text(view: &PostingView, appeal: Option<&str>) -> String {
    let PostingView {
        posting,
        company,
        texts,
        coordinates,
        decision,
        history,
    } = view;
    let (details, company) = (&posting.details, &company.company);
    let mut fields = Fields::default();
    let mut field = |name: &str, value: Option<String>| {
        fields.add(name, value.filter(|value| !value.is_empty()));
    };
    field("id", Some(posting.source_identifier.to_string()));
    field("uuid", Some(posting.id.to_string()));
    field("status", Some(status(posting)));
    field("reason", posting.status_reason.clone());
    if let Some(decision) = decision {
        let version = decision.by.version();
        let by = decision.by.to_string();
        let by = version.map_or(by.clone(), |version| format!("{by} {version}"));
        let (outcome, code) = (decision.outcome, &decision.code);
        let decided = format!("{outcome} by {by}, {}: {code}", time(decision.at));
        field("decision", Some(decided));
        field("because", Some(decision.sentence.clone()));
        for passage in &decision.passages {
            field("passage", Some(passage.clone()));
        }
        field("appeal", appeal.map(str::to_owned));
    }
    field(
        "company",
        Some(format!("{} <{}>", company.name, company.website.as_str())),
    );
    field("logo", company.logo_path.clone());
    let employment = details.employment_types.iter().map(ToString::to_string);
    field(
        "employment",
        Some(employment.collect::<Vec<_>>().join(", ")),
    );
    field("place", Some(details.place()));
    let coordinates = coordinates.map(|at| format!("{}, {}", at.latitude, at.longitude));
    field("coordinates", coordinates);
    field("salary", Some(details.salary()));
    field("apply by e-mail", details.application_email.clone());
    field("apply at", details.application_url.clone());
    let metadata = details.metadata.as_ref();
    field("metadata", metadata.map(|json| json.as_str().to_owned()));
    field("created", Some(time(posting.created_at)));
    field("updated", Some(time(posting.updated_at)));
    field("published", posting.published_at.map(time));
    field("expires", posting.expire_at.map(time));
    field("expired", posting.expired_at.map(time));
    field("expiration reason", details.expiration_reason.clone());

    let title = plain(&details.title);
    let mut text = format!("{title}\n\n{}\n\nHistory\n", fields.text());
    for entry in history {
        _ = write!(
            text,
            "  {}  {}  by {}",
            time(entry.at),
            entry.status,
            entry.by
        );
        if let Some(reason) = &entry.reason {
            _ = write!(text, "\n    {}", plain(reason));
        }
        text.push('\n');
    }
    match texts {
        Some(texts) => {
            section(&mut text, "Description", &texts.markdown);
            section(&mut text, "Redacted description", &texts.redacted_markdown);
        }
        None => section(&mut text, "Description as pushed", view.description()),
    }
    text.truncate(text.trim_end().len());
    text
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

fn status(posting: &Posting) -> String {
    let mut status = posting.status.to_string();
    if posting.moderated {
        status += ", by an operator";
    }
    if posting.is_featured {
        status += ", featured";
    }
    status
}
