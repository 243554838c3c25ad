//! Access of the fuzz targets to private functions. Compiled for fuzzing only.

use domain::store::Position;
use newsletter::subscriber::{MigrationToken, ProviderEvent};

pub use crate::oauth::fuzz::Issuer;
use crate::{error::ApiError, posting, subscriber};

/// The token and the action in a form; `None` if it is refused or has no token.
pub fn form(body: &[u8]) -> Option<(MigrationToken, &'static str)> {
    sent(subscriber::of_form(body))
}

/// The token and the action in a JSON object.
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

/// The relevant events in a delivery of the provider; `None` if it is refused.
pub fn delivery(body: &[u8]) -> Option<Vec<ProviderEvent>> {
    subscriber::read_delivery(body).ok()
}

/// Decodes a cursor of the list.
pub fn read_cursor(text: &str) -> Option<Position> {
    posting::read_cursor(text)
}

/// Encodes a position as a cursor.
pub fn write_cursor(position: Position) -> String {
    posting::write_cursor(position)
}
