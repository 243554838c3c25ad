//! `posthaste clients`: manages OAuth clients.

use std::process::ExitCode;

use adapters_http::oauth::ClientSecret;
use anyhow::bail;
use domain::client::{Client, ClientId, Clients, Scope};
use serde_json::json;
use uuid::Uuid;

use crate::{
    cli::{ClientsCommand, ClientsCreateArgs},
    clock,
    database::{Database, Outdated},
    output, text,
};

/// Runs a subcommand.
pub async fn run(command: &ClientsCommand) -> anyhow::Result<ExitCode> {
    match command {
        ClientsCommand::Create(args) => print_new(args).await?,
        ClientsCommand::List(store) => {
            let database = Database::open(&store.database()).await?;
            list(database.clients.as_ref()).await?;
        }
        ClientsCommand::Revoke(args) => {
            let database = Database::open(&args.store.database()).await?;
            revoke(database.clients.as_ref(), args.id).await?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Creates a client and returns its secret, of which only a digest is stored.
pub async fn create(
    clients: &dyn Clients,
    name: &str,
    scopes: &[Scope],
) -> anyhow::Result<(Client, ClientSecret)> {
    let secret = ClientSecret::generate()?;
    let mut unique = Vec::with_capacity(scopes.len());
    for scope in scopes {
        if !unique.contains(scope) {
            unique.push(*scope);
        }
    }
    let client = Client {
        id: ClientId::new(Uuid::now_v7()),
        name: name.to_owned(),
        scopes: unique,
        secret_digest: secret.digest(),
        created_at: clock::now(),
        revoked_at: None,
    };
    clients.insert(&client).await?;
    Ok((client, secret))
}

async fn print_new(args: &ClientsCreateArgs) -> anyhow::Result<()> {
    let (url, keys) = (args.store.database(), args.store.data_dir.keys());
    let database = Database::open_or_make(&url, &keys, Outdated::MigrateEmbedded).await?;
    let (client, secret) = create(database.clients.as_ref(), &args.name, &args.scopes).await?;
    if args.json.enabled {
        return output::print_json(&json!({
            "client_id": client.id.to_string(),
            "client_secret": secret.expose(),
        }));
    }
    output::print(format_args!(
        "client_id      {}\nclient_secret  {}\nThe secret is not shown again.",
        client.id,
        secret.expose()
    ))
}

async fn list(clients: &dyn Clients) -> anyhow::Result<()> {
    let mut table = output::table(["CLIENT", "NAME", "SCOPES", "CREATED", "REVOKED"]);
    for client in clients.list().await? {
        let scopes: Vec<_> = client.scopes.iter().map(|scope| scope.as_str()).collect();
        table.add_row([
            client.id.to_string(),
            text::plain(&client.name),
            scopes.join(" "),
            output::time(client.created_at),
            client.revoked_at.map(output::time).unwrap_or_default(),
        ]);
    }
    output::print(table)
}

async fn revoke(clients: &dyn Clients, id: ClientId) -> anyhow::Result<()> {
    if !clients.revoke(id, clock::now()).await? {
        bail!("there is no client {id}; `posthaste clients list` shows those there are");
    }
    output::print(format_args!(
        "Revoked {id}; its tokens stop working within 10 seconds."
    ))
}
