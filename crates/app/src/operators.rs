use access::{
    Client, Clients, ManagedClients, NewClient,
    sign_in::{SignInTokens, issue_link, token_digest},
};
use adapters_console::{LINK_PARAMETER, SIGN_IN_PATH, new_token as new_link};
use kernel::{ClientId, Operator, audit::Attribution};
use runtime::clock;
use tokens::ClientSecret;
use uuid::Uuid;

pub async fn create_client(
    clients: &dyn Clients,
    by: &Attribution,
    new: NewClient,
) -> anyhow::Result<(Client, ClientSecret)> {
    let (id, secret) = (ClientId::new(Uuid::now_v7()), ClientSecret::generate()?);
    let clients = ManagedClients { clients, by };
    let created = clients.create(id, new, secret.digest(), clock::now());
    Ok((created.await?, secret))
}

pub async fn link(
    passes: &dyn SignInTokens,
    url: &str,
    operator: Operator,
    by: &Attribution,
) -> anyhow::Result<String> {
    let token = new_link();
    issue_link(passes, token_digest(&token), operator, by, clock::now()).await?;
    Ok(format!("{url}{SIGN_IN_PATH}?{LINK_PARAMETER}={token}"))
}
