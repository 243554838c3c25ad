use domain::store::Position;
use newsletter::subscriber::{MigrationToken, ProviderEvent};

pub use crate::oauth::fuzz::Issuer;
use crate::{error::ApiError, posting, subscriber};

pub fn form(body: &[u8]) -> Option<(MigrationToken, &'static str)> {
    sent(subscriber::of_form(body))
}

pub fn json_form(body: &[u8]) -> Option<(MigrationToken, &'static str)> {
    sent(subscriber::of_json(body))
}

fn sent(
    read: Result<Option<subscriber::LinkForm>, ApiError>,
) -> Option<(MigrationToken, &'static str)> {
    let form = read.ok()??;
    Some((form.token, form.action.as_str()))
}

pub fn token_of_query(query: &str) -> Option<MigrationToken> {
    subscriber::token_of_query(query)
}

pub fn delivery(body: &[u8]) -> Option<Vec<ProviderEvent>> {
    subscriber::read_delivery(body).ok()
}

pub fn read_cursor(text: &str) -> Option<Position> {
    posting::read_cursor(text)
}

pub fn write_cursor(position: Position) -> String {
    posting::write_cursor(position)
}
