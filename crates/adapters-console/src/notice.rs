//! What a page says was just done, after the redirect of a form.

use actix_web::{HttpRequest, HttpResponse, http::header::LOCATION};

use crate::{
    error::Failure,
    query::Query,
    session::{Session, Signed},
};

/// What separates an address from its seal.
const SEAL: &str = "&seal=";

/// Leads to a page of the session's place that says what was done. The address is sealed for the session: a link of
/// somebody else must not make a page say what nobody did.
pub fn lead<W>(signed_in: &Signed<W>, page: &str, action: &str) -> HttpResponse {
    let separator = if page.contains('?') { '&' } else { '?' };
    let address = format!("{page}{separator}did={action}");
    let address = signed_in.session.place.at(&address);
    let seal = signed_in.session.seal(&address);
    HttpResponse::SeeOther()
        .insert_header((LOCATION, format!("{address}{SEAL}{seal}")))
        .finish()
}

/// The action that a form of this session has just done, by the address that it led to.
pub fn done(request: &HttpRequest) -> Result<Option<String>, Failure> {
    let address = request.uri().path_and_query().map(ToString::to_string);
    let Some((address, seal)) = address.as_deref().and_then(|text| text.rsplit_once(SEAL)) else {
        return Ok(None);
    };
    if !Session::is_seal(request, address, seal)? {
        return Ok(None);
    }
    Ok(Query::of(request).get("did").map(str::to_owned))
}
