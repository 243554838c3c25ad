//! `/integration/postings`: the postings that the client may see, and one of them.

use access::Scope;
use actix_web::HttpRequest;
use kernel::SourceIdentifier;

use crate::{
    error::{Answer, Failure},
    form::Fields,
    postings::{
        list::{self, ONE},
        show,
    },
    visit::Visit,
};

/// The list, what a search finds, or one posting.
pub async fn show(visit: Visit, request: HttpRequest) -> Answer {
    let client = visit.client(Scope::READERS)?;
    // Not trimmed, as other fields are: an identifier is compared byte for byte.
    let mut fields = url::form_urlencoded::parse(request.query_string().as_bytes());
    let Some((_, identifier)) = fields.find(|(name, _)| name == ONE) else {
        let here = visit.query().address("");
        return list::page(&visit, &here, Fields::default()).await;
    };
    let identifier = SourceIdentifier::new(&identifier).map_err(|_| Failure::NotFound)?;
    if !client.prefixes.permit(&identifier) {
        return Err(Failure::NotFound);
    }
    let found = visit.ports().postings.find(&identifier).await?;
    let view = found.ok_or(Failure::NotFound)?.seen_by(&client.prefixes);
    show::one(&visit, &view, Fields::default()).await
}
