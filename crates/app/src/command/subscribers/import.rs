//! `posthaste subscribers import`: imports reports of the membership system from a CSV file.
//!
//! Unchanged lines write nothing, so a file that was imported in part can be imported again.

use std::{collections::HashSet, path::PathBuf, process::ExitCode, time::Duration};

use clap::Args;
use cli::records::{Fields, Layout};
use fields::body::BodyError;
use newsletter::{
    audit,
    subscriber::{Email, PutSubscriber},
    usecase::{Reported, decide_subscribers, put_subscribers},
};
use runtime::{COMMAND_PATIENCE, clock, decide_again};
use serde_json::{Map, Value, json};
use tokens::new_subscriber;

use super::{
    export::{COLUMNS, TOKEN},
    intake::{self, Intake, Record, Tally},
};
use crate::{args::ChangeArgs, output};

static LAYOUT: Layout = Layout {
    columns: COLUMNS,
    required: COLUMNS.len(),
    ignored: &[TOKEN],
};

/// Import reports of the membership system from a CSV file
#[derive(Debug, Args)]
pub struct Import {
    /// CSV with the header `email,name,country,plan_category,status,expires_at`; `-` reads standard
    /// input. An empty field clears the stored value, and a line without `plan_category` and
    /// `status` is a person without a membership. A file can be imported again safely
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Print what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    change: ChangeArgs,
}

impl Import {
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        let (by, database) = self.change.open().await?;
        let entry = (!self.dry_run).then(|| by.entry(audit::SUBSCRIBERS_IMPORT, clock::now()));
        let ended = intake::run::<PutSubscriber>(&*database.newsletter, &self.file, entry).await?;
        if self.dry_run {
            output::print("Nothing was imported. These would be the totals.")?;
        }
        Ok(ended)
    }
}

fn report(fields: &Fields) -> Result<PutSubscriber, String> {
    let [email, name, country, plan_category, status, expires_at] = fields;
    let has_membership = !(plan_category.is_empty() && status.is_empty());
    let mut errors = Vec::new();
    if !has_membership && !expires_at.is_empty() {
        errors.push("expires_at must be empty without plan_category and status".to_owned());
    }
    let membership = has_membership.then(|| {
        // An empty field of a membership counts as missing, not as cleared.
        let given = [
            ("plan_category", plan_category),
            ("status", status),
            ("expires_at", expires_at),
        ];
        let given = given.into_iter().filter(|(_, text)| !text.is_empty());
        let given = given.map(|(name, text)| (name.to_owned(), Value::from(text.as_str())));
        given.collect::<Map<_, _>>()
    });
    let body = json!({
        "name": (!name.is_empty()).then_some(name),
        "country": (!country.is_empty()).then_some(country),
        "membership": membership,
    })
    .to_string();
    let (id, token) = new_subscriber();
    let put = PutSubscriber::read(Email::parse(email), body.as_bytes(), id, token);
    match put {
        Ok(put) if errors.is_empty() => return Ok(put),
        Ok(_) => {}
        Err(BodyError::Invalid(found)) => {
            for (field, messages) in found.iter() {
                let column = field.strip_prefix("membership.").unwrap_or(field);
                errors.extend(messages.iter().map(|message| format!("{column} {message}")));
            }
        }
        Err(error) => errors.push(error.to_string()),
    }
    Err(errors.join("; "))
}

impl Record for PutSubscriber {
    const LAYOUT: &'static Layout = &LAYOUT;
    const OUTCOMES: &'static [&'static str] = &["created", "updated", "unchanged"];

    fn parse(fields: &Fields) -> Result<Self, String> {
        report(fields)
    }

    async fn import(puts: &[Self], import: &mut Intake<'_>) -> anyhow::Result<Vec<&'static str>> {
        let store = import.store;
        let emails: HashSet<_> = puts.iter().map(|put| put.email.clone()).collect();
        let emails: Vec<_> = emails.into_iter().collect();
        let mut known = store.load(&emails).await?;
        let reported = if let Some(run) = &mut import.run {
            run.begin(store).await?;
            let attempt = || put_subscribers(store, puts, (import.clock)());
            decide_again(COMMAND_PATIENCE, attempt).await?
        } else {
            let decided = decide_subscribers(store, puts, (import.clock)()).await?;
            decided.0
        };
        let outcome = |Reported { subscriber, is_new }| {
            let earlier = known.insert(subscriber.email.clone(), subscriber.clone());
            if is_new {
                "created"
            } else if earlier == Some(subscriber) {
                "unchanged"
            } else {
                "updated"
            }
        };
        Ok(reported.into_iter().map(outcome).collect())
    }

    fn summary(tally: &Tally, took: Duration) -> String {
        let counts = tally.counts().iter();
        let counts = counts.map(|(outcome, count)| format!("{outcome:<9} {count:>10}\n"));
        let (total, seconds) = (tally.total(), took.as_secs_f64());
        #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
        let rate = total as f64 / seconds.max(0.001);
        let counts: String = counts.collect();
        format!("{counts}{total} people in {seconds:.1} s, {rate:.0} a second")
    }
}

#[cfg(test)]
mod tests;
