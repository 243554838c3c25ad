//! What the fuzz targets reach of what is private otherwise. Built for them alone.

use domain::store::Position;
use newsletter::subscriber::{MigrationToken, ProviderEvent};

pub use crate::oauth::fuzz::Issuer;
use crate::{error::ApiError, posting, subscriber};

/// The token and the action of a form that was sent; `None` where it is refused or has none.
pub fn form(body: &[u8]) -> Option<(MigrationToken, &'static str)> {
    sent(subscriber::of_form(body))
}

/// The same of a JSON object.
pub fn json_form(body: &[u8]) -> Option<(MigrationToken, &'static str)> {
    sent(subscriber::of_json(body))
}

fn sent(
    read: Result<Option<subscriber::LinkForm>, ApiError>,
) -> Option<(MigrationToken, &'static str)> {
    let form = read.ok()??;
    Some((form.token, form.action.as_str()))
}

/// The token in a query.
pub fn token_of_query(query: &str) -> Option<MigrationToken> {
    subscriber::token_of_query(query)
}

/// The news in a delivery of the provider; `None` where it is refused.
pub fn delivery(body: &[u8]) -> Option<Vec<ProviderEvent>> {
    subscriber::read_delivery(body).ok()
}

/// The position that a cursor of the list stands for.
pub fn read_cursor(text: &str) -> Option<Position> {
    posting::read_cursor(text)
}

/// The cursor for a position.
pub fn write_cursor(position: Position) -> String {
    posting::write_cursor(position)
}
