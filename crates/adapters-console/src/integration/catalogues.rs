//! `/integration/catalogues`: the client's catalogues, how their last imports ended, and undo.

use access::{Client, Scope};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::{catalogue::Catalogue, usecase::UndoOrder};
use kernel::CatalogueName;

use super::state::{INTEGRATION, State, Visitor, client_with};
use crate::{
    catalogues::{undo as undo_expiry, undone},
    error::{Answer, Failure},
    form::{Fields, Form, Problem},
    notice,
    page::{self, Frame},
};

const PATH: &str = "/catalogues";

#[derive(Template)]
#[template(path = "integration/catalogues.html")]
struct Page {
    head: page::Head,
    frame: Frame,
    catalogues: Vec<Catalogue>,
    may_undo: bool,
}

pub async fn show(request: HttpRequest, state: web::Data<State>) -> Answer {
    all(&request, &state, Fields::default()).await
}

async fn all(request: &HttpRequest, state: &State, refused: Fields) -> Answer {
    let client = client_with(request, Scope::READERS)?;
    let mut frame = Frame::of_form(request, PATH, &refused)?;
    frame.notice = notice::done(request)?.as_deref().and_then(undone);
    let page = Page {
        head: page::Head::at(&INTEGRATION, "Catalogues"),
        frame,
        catalogues: state.ports.catalogues.list(client.id, state.now()).await?,
        may_undo: client.may(Scope::WRITERS),
    };
    page::answer(&page, refused.status())
}

/// Undoes what the last import that expired anything had expired.
pub async fn undo(request: HttpRequest, payload: web::Payload, state: web::Data<State>) -> Answer {
    let visitor = Visitor::of(&request)?;
    let form = Form::of_session(&request, payload, &state.site, &visitor.session).await?;
    let client = client_with(&request, Scope::WRITERS)?;
    match carry_out(&state, &visitor, client, &form).await {
        Ok(response) => Ok(response),
        Err(problem) => all(&request, &state, form.refused(problem)?).await,
    }
}

async fn carry_out(
    state: &State,
    visitor: &Visitor,
    client: Client,
    form: &Form,
) -> Result<HttpResponse, Problem> {
    let name = form.get("name").unwrap_or_default();
    let order = UndoOrder {
        client: client.id,
        name: CatalogueName::new(name).map_err(|_| Failure::NotFound)?,
        prefixes: client.prefixes,
        by: None,
    };
    Ok(undo_expiry(&*state.ports.undo, order, visitor, PATH).await?)
}
