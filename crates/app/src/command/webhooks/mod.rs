//! `posthaste webhooks`: the operators' webhooks, and a look after those of clients.

mod show;

use std::{process::ExitCode, slice};

use ::webhooks::{
    DELIVERIES_KEPT, EndpointChange, EndpointId, EndpointUrl, ManagedWebhooks, Manager,
    NewEndpoint, Outcome, Owner, PrivateAddresses, Secret, WantedState, WebhookError,
};
use adapters_http::{delivery_data, new_ping};
use adapters_webhooks::WebhookClient;
use anyhow::bail;
use kernel::{Prefixes, audit::Attribution, field::Patch};
use runtime::clock;
use serde_json::json;
use uuid::Uuid;

use self::show::{Owners, Shown};
use crate::{
    cli::{
        WebhooksCommand, WebhooksCreateArgs, WebhooksDeliveriesArgs, WebhooksListArgs,
        WebhooksManageArgs, WebhooksReplayArgs, WebhooksRotateArgs, WebhooksShowArgs,
        WebhooksTestArgs,
    },
    database::{Database, Outdated},
    misconfigured::Misconfigured,
    output, text, webhooks,
};

/// Runs a subcommand.
pub async fn run(command: WebhooksCommand) -> anyhow::Result<ExitCode> {
    match command {
        WebhooksCommand::Create(args) => create(args).await?,
        WebhooksCommand::List(args) => list(&args).await?,
        WebhooksCommand::Show(args) => show(&args).await?,
        WebhooksCommand::Pause(args) => set(&args, WantedState::Paused).await?,
        WebhooksCommand::Resume(args) => set(&args, WantedState::Active).await?,
        WebhooksCommand::Rotate(args) => rotate(&args).await?,
        WebhooksCommand::Test(args) => return test(&args).await,
        WebhooksCommand::Replay(args) => replay(&args).await?,
        WebhooksCommand::Deliveries(args) => deliveries(&args).await?,
        WebhooksCommand::Delete(args) => delete(&args).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The database, the client that calls receivers, and the operator who gives a command.
struct Office {
    database: Database,
    client: std::sync::Arc<WebhookClient>,
    by: Attribution,
}

impl Office {
    fn new(database: Database, by: Attribution, private: PrivateAddresses) -> anyhow::Result<Self> {
        Ok(Self {
            client: webhooks::quiet_client(private)?,
            database,
            by,
        })
    }

    /// For a command that calls no receiver.
    async fn open(args: &WebhooksManageArgs) -> anyhow::Result<Self> {
        let by = args.operator.attribution()?;
        let database = Database::open(&args.store.database()).await?;
        Self::new(database, by, PrivateAddresses::default())
    }

    fn webhooks(&self) -> ManagedWebhooks<'_> {
        ManagedWebhooks {
            webhooks: &*self.database.webhooks,
            log: &*self.database.events,
            sender: &*self.client,
            by: Manager::Operator(&self.by),
        }
    }
}

async fn create(args: WebhooksCreateArgs) -> anyhow::Result<()> {
    let by = args.operator.attribution()?;
    let private = args.addresses.private;
    let url = EndpointUrl::parse(&args.url, private)
        .map_err(|error| Misconfigured(format!("--url: {error}")))?;
    let mut names = Vec::new();
    for name in args.types {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let prefixes = Prefixes::new(&args.prefixes)
        .map_err(|error| Misconfigured(format!("--prefix: {error}")))?;
    let new = NewEndpoint {
        url,
        names: (!names.is_empty()).then_some(names),
        include_posting: args.include_posting,
        description: args.description,
    };
    let (url, keys) = (args.store.database(), args.store.data_dir.keys());
    let database = Database::open_or_make(&url, &keys, Outdated::MigrateEmbedded).await?;
    let office = Office::new(database, by, private)?;
    let (id, now) = (EndpointId::new(Uuid::now_v7()), clock::now());
    let created = office.webhooks();
    let created = created.create(new, prefixes, id, Secret::drawn(rand::random()), now);
    let endpoint = created.await.map_err(in_words)?;
    let secret = endpoint.secret.reveal();
    if args.json.enabled {
        let tracked = find(&office.database, id).await?;
        let shown = Shown::new(&tracked, &Owners::new(), None);
        return output::print_json(&shown.with_secret(&secret));
    }
    output::print(format_args!(
        "id      {id}\nsecret  {secret}\nThe secret is not shown again."
    ))
}

async fn list(args: &WebhooksListArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    // One more shows whether there are more.
    let most = args.limit.saturating_add(1);
    let mut all = database.webhooks.list(None, None, most).await?;
    let has_more = all.len() > args.limit;
    all.truncate(args.limit);
    let backlog = show::backlog(&*database.webhooks).await?;
    if args.json.enabled {
        let owners = show::owners(&*database.clients, &all).await?;
        let shown = all
            .iter()
            .map(|tracked| Shown::new(tracked, &owners, backlog.get(&tracked.endpoint.id)));
        return output::print_json(&shown.collect::<Vec<_>>());
    }
    output::print(show::table(&all, &backlog))?;
    if has_more {
        output::print("and more; `--limit` takes a larger number of rows")?;
    }
    Ok(())
}

async fn show(args: &WebhooksShowArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    let tracked = find(&database, args.id).await?;
    let backlog = show::backlog(&*database.webhooks).await?;
    let owners = show::owners(&*database.clients, slice::from_ref(&tracked)).await?;
    let shown = Shown::new(&tracked, &owners, backlog.get(&args.id));
    if args.json.enabled {
        output::print_json(&shown)
    } else {
        output::print(shown.text())
    }
}

async fn set(args: &WebhooksManageArgs, state: WantedState) -> anyhow::Result<()> {
    let office = Office::open(args).await?;
    let change = EndpointChange {
        state: Patch::Set(state),
        ..EndpointChange::default()
    };
    let webhooks = office.webhooks();
    let changed = webhooks.update(args.id, &change, clock::now()).await;
    let endpoint = changed.map_err(in_words)?.endpoint;
    output::print(format_args!("{} is {}.", endpoint.id, endpoint.state))
}

async fn rotate(args: &WebhooksRotateArgs) -> anyhow::Result<()> {
    let office = Office::open(&args.webhook).await?;
    let webhooks = office.webhooks();
    let rotated = webhooks.rotate(args.webhook.id, Secret::drawn(rand::random()), clock::now());
    let tracked = rotated.await.map_err(in_words)?;
    let secret = tracked.endpoint.secret.reveal();
    if args.json.enabled {
        let owners = show::owners(&*office.database.clients, slice::from_ref(&tracked)).await?;
        let shown = Shown::new(&tracked, &owners, None);
        return output::print_json(&shown.with_secret(&secret));
    }
    output::print(format_args!(
        "secret  {secret}\nThe secret is not shown again. The old one signs too for 24 hours."
    ))?;
    if let Owner::Client(client) = tracked.endpoint.owner {
        output::print(format_args!(
            "The webhook is that of client {client}, which needs the new one."
        ))?;
    }
    Ok(())
}

/// Fails if the receiver does not take the ping.
async fn test(args: &WebhooksTestArgs) -> anyhow::Result<ExitCode> {
    let id = args.webhook.id;
    let by = args.webhook.operator.attribution()?;
    let database = Database::open(&args.webhook.store.database()).await?;
    let office = Office::new(database, by, args.addresses.private)?;
    let (webhooks, now) = (office.webhooks(), clock::now());
    let announced = webhooks.announce_test(id, &*office.database.store, now);
    announced.await.map_err(in_words)?;
    let (delivery, body) = new_ping(now)?;
    let attempt = webhooks.test(id, (&delivery, &body), now).await;
    let attempt = attempt.map_err(in_words)?;
    let milliseconds = attempt.duration.as_millis();
    let status = attempt.outcome.status();
    if args.json.enabled {
        output::print_json(&json!({
            "status": status,
            "duration_ms": u64::try_from(milliseconds)?,
            "error": attempt.error,
        }))?;
    } else {
        let error = attempt.error.as_deref().map(text::plain);
        output::print(match (attempt.outcome, error) {
            (Outcome::Delivered(status), _) => format!("answered {status} in {milliseconds} ms"),
            (_, error) => format!(
                "{} after {milliseconds} ms",
                error.as_deref().unwrap_or("failed")
            ),
        })?;
    }
    Ok(if attempt.outcome.is_delivered() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn replay(args: &WebhooksReplayArgs) -> anyhow::Result<()> {
    let (id, since) = (args.webhook.id, args.since);
    let office = Office::open(&args.webhook).await?;
    let webhooks = office.webhooks();
    let replayed = webhooks.replay(id, since, clock::now()).await;
    replayed.map_err(in_words)?;
    output::print(format_args!(
        "Events since {} are delivered again to {id}, as far as they are kept.",
        output::time(since)
    ))
}

async fn deliveries(args: &WebhooksDeliveriesArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    find(&database, args.id).await?;
    let most = args.limit.min(DELIVERIES_KEPT);
    let deliveries = database.webhooks.deliveries(args.id, most).await?;
    if args.json.enabled {
        let shown = deliveries.iter().map(delivery_data);
        return output::print_json(&shown.collect::<Vec<_>>());
    }
    output::print(show::deliveries(&deliveries))
}

async fn delete(args: &WebhooksManageArgs) -> anyhow::Result<()> {
    let office = Office::open(args).await?;
    let deleted = office.webhooks().delete(args.id, clock::now()).await;
    deleted.map_err(in_words)?;
    output::print(format_args!("{} is deleted.", args.id))
}

async fn find(database: &Database, id: EndpointId) -> anyhow::Result<::webhooks::TrackedEndpoint> {
    match database.webhooks.find(id).await? {
        Some(tracked) => Ok(tracked),
        None => bail!(in_words(WebhookError::NotFound)),
    }
}

/// An error as a command says it.
fn in_words(error: WebhookError) -> anyhow::Error {
    match error {
        WebhookError::NotFound => anyhow::anyhow!(
            "there is no such webhook; `posthaste webhooks list` shows those there are"
        ),
        error => error.into(),
    }
}
