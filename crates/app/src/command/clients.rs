//! `posthaste clients`: manages OAuth clients.

mod named;
mod show;

use std::process::ExitCode;

use access::{Client, ClientChange, Clients, ManagedClients, NewClient, Rotation};
use adapters_http::oauth::ClientSecret;
use kernel::{ClientId, Prefixes, audit::Attribution};
use runtime::clock;
use serde_json::json;
use uuid::Uuid;

pub use self::named::find;
use self::show::Shown;
use crate::{
    cli::{
        ClientsCommand, ClientsCreateArgs, ClientsListArgs, ClientsRevokeArgs, ClientsRotateArgs,
        ClientsShowArgs, ClientsUpdateArgs,
    },
    database::{Database, Outdated},
    misconfigured::Misconfigured,
    output,
};

/// Runs a subcommand.
pub async fn run(command: &ClientsCommand) -> anyhow::Result<ExitCode> {
    match command {
        ClientsCommand::Create(args) => print_new(args).await?,
        ClientsCommand::List(args) => list(args).await?,
        ClientsCommand::Show(args) => show(args).await?,
        ClientsCommand::Update(args) => update(args).await?,
        ClientsCommand::Rotate(args) => rotate(args).await?,
        ClientsCommand::Revoke(args) => revoke(args).await?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Creates a client and returns its secret, of which only a digest is stored.
pub async fn create(
    clients: &dyn Clients,
    by: &Attribution,
    new: NewClient,
) -> anyhow::Result<(Client, ClientSecret)> {
    let (id, secret) = (ClientId::new(Uuid::now_v7()), ClientSecret::generate()?);
    let clients = ManagedClients { clients, by };
    let created = clients.create(id, new, secret.digest(), clock::now());
    Ok((created.await?, secret))
}

async fn print_new(args: &ClientsCreateArgs) -> anyhow::Result<()> {
    let by = args.operator.attribution()?;
    let new = NewClient {
        name: args.name.clone(),
        scopes: args.scopes.clone(),
        prefixes: prefixes(&args.prefixes)?,
        requests_per_minute: args.requests_per_minute,
    };
    let (url, keys) = (args.store.database(), args.store.data_dir.keys());
    let database = Database::open_or_make(&url, &keys, Outdated::MigrateEmbedded).await?;
    let (client, secret) = create(database.clients.as_ref(), &by, new).await?;
    print_secret(client.id, &secret, args.json.enabled)
}

fn print_secret(id: ClientId, secret: &ClientSecret, as_json: bool) -> anyhow::Result<()> {
    let secret = secret.expose();
    if as_json {
        return output::print_json(&json!({
            "client_id": id.to_string(),
            "client_secret": secret,
        }));
    }
    output::print(format_args!(
        "client_id      {id}\nclient_secret  {secret}\nThe secret is not shown again."
    ))
}

/// The prefixes of an option.
fn prefixes(texts: &[String]) -> anyhow::Result<Prefixes> {
    Ok(Prefixes::new(texts).map_err(|error| Misconfigured(format!("--prefix: {error}")))?)
}

async fn list(args: &ClientsListArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    // One more shows whether there are more.
    let most = args.limit.saturating_add(1);
    let mut all = database.clients.list(most).await?;
    let is_more = all.len() > args.limit;
    all.truncate(args.limit);
    if args.json.enabled {
        let shown = Shown::read(all, &*database.activity).await?;
        return output::print_json(&shown);
    }
    output::print(show::table(&all))?;
    if is_more {
        output::print("and more; `--limit` takes a larger number of rows")?;
    }
    Ok(())
}

async fn show(args: &ClientsShowArgs) -> anyhow::Result<()> {
    let database = Database::open(&args.store.database()).await?;
    let client = find(&*database.clients, &args.client).await?;
    let activity = database.activity.activity(client.id).await?;
    let shown = Shown { client, activity };
    if args.json.enabled {
        output::print_json(&shown)
    } else {
        output::print(shown.text())
    }
}

async fn update(args: &ClientsUpdateArgs) -> anyhow::Result<()> {
    let by = args.operator.attribution()?;
    let change = ClientChange {
        name: args.name.clone(),
        scopes: (!args.scopes.is_empty()).then(|| args.scopes.clone()),
        prefixes: match (&*args.prefixes, args.no_prefix) {
            ([], false) => None,
            ([], true) => Some(Prefixes::ALL),
            (texts, _) => Some(prefixes(texts)?),
        },
        requests_per_minute: match (args.requests_per_minute, args.no_limit) {
            (None, false) => None,
            (limit, _) => Some(limit),
        },
    };
    let database = Database::open(&args.store.database()).await?;
    let clients = ManagedClients {
        clients: &*database.clients,
        by: &by,
    };
    let id = find(clients.clients, &args.client).await?.id;
    let client = clients.update(id, &change, clock::now()).await?;
    output::print(show::settings(&client))?;
    output::print("Every process knows it within 10 seconds.")
}

async fn rotate(args: &ClientsRotateArgs) -> anyhow::Result<()> {
    let by = args.operator.attribution()?;
    let secret = ClientSecret::generate()?;
    let overlap = time::Duration::try_from(args.overlap)?;
    let database = Database::open(&args.store.database()).await?;
    let clients = ManagedClients {
        clients: &*database.clients,
        by: &by,
    };
    let id = find(clients.clients, &args.client).await?.id;
    let rotation = Rotation {
        digest: secret.digest(),
        overlap,
        ends_tokens: args.end_tokens,
    };
    let client = clients.rotate(id, rotation, clock::now()).await?;
    print_secret(id, &secret, args.json.enabled)?;
    if !args.json.enabled {
        let before = client.secrets.get(1).and_then(|before| before.expires_at);
        output::print(before.map_or_else(
            || "The former secret is not valid any more.".to_owned(),
            |end| format!("The former secret is valid until {}.", output::time(end)),
        ))?;
        if args.end_tokens {
            output::print("Tokens issued before stop working within 10 seconds.")?;
        }
    }
    Ok(())
}

async fn revoke(args: &ClientsRevokeArgs) -> anyhow::Result<()> {
    let by = args.operator.attribution()?;
    let database = Database::open(&args.store.database()).await?;
    let clients = ManagedClients {
        clients: &*database.clients,
        by: &by,
    };
    let id = find(clients.clients, &args.client).await?.id;
    clients.revoke(id, clock::now()).await?;
    output::print(format_args!(
        "Revoked {id}; its tokens stop working within 10 seconds."
    ))
}
