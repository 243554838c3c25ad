//! Finds problems that an operator or integrator should look at: a pure function from [`State`] to
//! items.
//!
//! Each context decides what a problem is. Here a problem becomes an [`AttentionItem`] with a
//! sentence that names the source and the remedy. The job `attention` of the crate `workers` reads
//! the state and stores the items.
//!
//! A new kind needs a variant of [`AttentionKind`], its data in [`State`], and a line of [`RULES`]
//! with its function.

use std::collections::HashMap;

use access::{Activity, Client, activity::Part};
use domain::{catalogue::LastImport, company::CompanyPairView, report::Waiting};
use kernel::{AttentionItem, AttentionKind, ClientId, outbox::Backlog};
use newsletter::{store::AccountState, subscriber::Account};
use time::OffsetDateTime;
use webhooks::{EndpointState, TrackedEndpoint};

#[derive(Clone, Debug)]
pub struct State {
    pub now: OffsetDateTime,
    pub clients: Vec<Client>,
    pub activities: HashMap<ClientId, Activity>,
    pub backlog: Vec<Backlog>,
    pub endpoints: Vec<TrackedEndpoint>,
    pub imports: Vec<LastImport>,
    pub accounts: Vec<(Account, AccountState)>,
    pub lookalikes: Vec<CompanyPairView>,
    /// Reports of readers that wait for an operator.
    pub reports: Waiting,
    /// Objections of clients that wait for an operator.
    pub objections: Waiting,
}

type Rule = fn(&State, &mut Vec<AttentionItem>);

const RULES: [Rule; 8] = [
    dead_tasks, endpoints, held, degraded, sources, accounts, lookalikes, reports,
];

/// Everything that needs attention. An item without a known beginning begins now.
pub fn items(state: &State) -> Vec<AttentionItem> {
    let mut items = Vec::new();
    for rule in RULES {
        rule(state, &mut items);
    }
    items
}

impl State {
    fn client(&self, id: ClientId) -> String {
        let known = self.clients.iter().find(|client| client.id == id);
        known.map_or_else(|| id.to_string(), |client| client.name.clone())
    }

    fn item(
        &self,
        kind: AttentionKind,
        (key, page): (&str, String),
        subject: String,
        sentence: String,
    ) -> AttentionItem {
        AttentionItem {
            id: AttentionItem::id_of(kind, key),
            kind,
            subject,
            client: None,
            since: self.now,
            sentence,
            page,
            is_of_board: true,
        }
    }
}

fn dead_tasks(state: &State, items: &mut Vec<AttentionItem>) {
    for backlog in state.backlog.iter().filter(|backlog| backlog.dead > 0) {
        let (kind, dead) = (backlog.kind.as_str(), backlog.dead);
        let tasks = if dead == 1 { "task" } else { "tasks" };
        let sentence = format!(
            "{dead} dead {tasks} of {kind} ({}). Read the error, then retry or dismiss.",
            backlog.kind.purpose()
        );
        let about = (kind, "/outbox".to_owned());
        items.push(AttentionItem {
            is_of_board: !newsletter::tasks::KINDS.contains(&backlog.kind),
            ..state.item(AttentionKind::TaskDead, about, kind.to_owned(), sentence)
        });
    }
}

fn endpoints(state: &State, items: &mut Vec<AttentionItem>) {
    let needs = |one: &&TrackedEndpoint| one.needs_attention(state.now);
    for one in state.endpoints.iter().filter(needs) {
        let (endpoint, failing) = (&one.endpoint, one.health.failing_since);
        let url = endpoint.url.as_str();
        let (kind, since, sentence) = if endpoint.state == EndpointState::Disabled {
            let reason = endpoint
                .state_reason
                .as_deref()
                .unwrap_or("no reason given");
            let sentence = format!(
                "Webhook {url} is disabled: {reason}. Remove the cause, then resume the webhook."
            );
            (
                AttentionKind::WebhookDisabled,
                endpoint.updated_at,
                sentence,
            )
        } else {
            let sentence = format!("Webhook {url} has failed for an hour. Look at its deliveries.");
            (
                AttentionKind::WebhookFailing,
                failing.unwrap_or(state.now),
                sentence,
            )
        };
        let id = endpoint.id.to_string();
        let about = (&*id, format!("/webhooks/{id}"));
        items.push(AttentionItem {
            client: endpoint.owner.client(),
            since,
            is_of_board: false,
            ..state.item(kind, about, url.to_owned(), sentence)
        });
    }
}

fn of_catalogue(
    state: &State,
    kind: AttentionKind,
    last: &LastImport,
    sentence: String,
) -> AttentionItem {
    let id = last.id.to_string();
    let about = (&*id, format!("/catalogues/{id}"));
    AttentionItem {
        client: Some(last.client),
        since: last.import.finished_at,
        ..state.item(kind, about, last.name.to_string(), sentence)
    }
}

fn held(state: &State, items: &mut Vec<AttentionItem>) {
    for last in &state.imports {
        let Some(count) = last.held_back() else {
            continue;
        };
        let (postings, them) = if count == 1 {
            ("posting", "it")
        } else {
            ("postings", "them")
        };
        let sentence = format!(
            "Catalogue {} of {} holds {count} {postings} back. Send it again, or let {them} expire.",
            last.name,
            state.client(last.client)
        );
        items.push(of_catalogue(
            state,
            AttentionKind::CatalogueHeld,
            last,
            sentence,
        ));
    }
}

fn degraded(state: &State, items: &mut Vec<AttentionItem>) {
    for last in &state.imports {
        let summary = &last.import.summary;
        let Some(changes) = &summary.changes else {
            continue;
        };
        let entries = summary.degraded();
        if entries.is_empty() {
            continue;
        }
        let words = |entry: &String| changes.words(entry, summary.counts.lines);
        let words: Vec<_> = entries.iter().map(words).collect();
        let sentence = format!(
            "The last import of catalogue {} of {} looks degraded: {}. Look at the source.",
            last.name,
            state.client(last.client),
            words.join(", ")
        );
        let kind = AttentionKind::CatalogueDegraded;
        items.push(of_catalogue(state, kind, last, sentence));
    }
}

fn sources(state: &State, items: &mut Vec<AttentionItem>) {
    let nothing = Activity::default();
    for client in state.clients.iter().filter(|client| client.is_active()) {
        let activity = state.activities.get(&client.id).unwrap_or(&nothing);
        let (id, name) = (client.id.to_string(), &client.name);
        let mut add = |kind, since, sentence| {
            let about = (&*id, format!("/clients/{id}"));
            items.push(AttentionItem {
                client: Some(client.id),
                since,
                ..state.item(kind, about, name.clone(), sentence)
            });
        };
        if let Some(since) = activity.silent_since(client, state.now) {
            let day = since.date();
            let what = if activity.last_push_at.is_some() {
                format!("{name} has pushed nothing since {day}")
            } else {
                format!("{name} has never pushed")
            };
            let sentence = format!("{what}. Look at the source, or expect it less often.");
            add(AttentionKind::SourceSilent, since, sentence);
        }
        if let Some(Part { count, of }) = activity.many_refused(state.now) {
            let sentence =
                format!("{count} of {of} pushes of {name} were refused. Its page has the reasons.");
            add(AttentionKind::SourceRefused, state.now, sentence);
        }
        if let Some(Part { count, of }) = activity.many_withdrawn(state.now) {
            let sentence = format!(
                "{count} of {of} visible postings of {name} were rejected, or their new content is held back. Look at the source."
            );
            add(AttentionKind::SourceRejected, state.now, sentence);
        }
    }
}

fn accounts(state: &State, items: &mut Vec<AttentionItem>) {
    for (account, of) in &state.accounts {
        if of.pauses_until(state.now).is_none() {
            continue;
        }
        let reason = of.pause_reason.as_deref().unwrap_or("no reason given");
        let sentence = format!(
            "The e-mail provider's {account} account is paused: {reason}. After you fix the cause, the \
             sync resumes."
        );
        let about = (account.as_str(), "/subscribers".to_owned());
        let subject = format!("{account} account");
        items.push(AttentionItem {
            is_of_board: false,
            ..state.item(AttentionKind::ProviderPaused, about, subject, sentence)
        });
    }
}

fn lookalikes(state: &State, items: &mut Vec<AttentionItem>) {
    for pair in &state.lookalikes {
        let Some((company, older)) = pair.lookalike() else {
            continue;
        };
        let (one, other) = (&company.company, &older.company);
        let by = one.owner.map(|owner| state.client(owner));
        let sentence = format!(
            "{} ({}) of {} is on the site of {}, which another client owns. Merge them, or mark \
             them as different.",
            one.name,
            one.website,
            by.unwrap_or_default(),
            other.name
        );
        let id = one.id.to_string();
        let about = (&*id, "/companies/similar".to_owned());
        let kind = AttentionKind::CompanyLookalike;
        items.push(AttentionItem {
            since: pair.pair.since,
            ..state.item(kind, about, one.name.clone(), sentence)
        });
    }
}

fn reports(state: &State, items: &mut Vec<AttentionItem>) {
    for (waiting, one, many) in [
        (
            state.reports,
            "report of a reader waits",
            "reports of readers wait",
        ),
        (
            state.objections,
            "objection of a client waits",
            "objections of clients wait",
        ),
    ] {
        let Some(since) = waiting.since else { continue };
        let count = waiting.count;
        let wait = if count == 1 { one } else { many };
        let subject = wait.split_once(' ').map_or(wait, |(subject, _)| subject);
        let kind = AttentionKind::ReportsWaiting;
        let sentence = format!("{count} {wait} for a decision.");
        let about = (many, "/reports".to_owned());
        items.push(AttentionItem {
            since,
            is_of_board: false,
            ..state.item(kind, about, subject.to_owned(), sentence)
        });
    }
}

#[cfg(test)]
mod tests;
