//! `/catalogues`: clients' catalogues, and their last imports. Operators see all catalogues. A
//! client's people see the client's own. [`one`] is a catalogue's page.

pub mod one;

use access::{Client, Scope};
use askama::Template;
use domain::catalogue::Catalogue;
use kernel::ClientId;

use crate::{
    error::Answer,
    form::{Fields, Form, optional},
    page::Frame,
    visit::{OperatorVisit, Visit},
};

pub const PATH: &str = "/catalogues";
/// How many clients' catalogues are shown. Each client costs a query.
const CLIENTS: usize = 200;

#[derive(Template)]
#[template(path = "catalogues/list.html")]
struct Page {
    frame: Frame,
    /// `None` until the catalogues' postings have been counted once.
    rows: Option<Vec<Catalogue>>,
    clients: Vec<Client>,
    search: Fields,
    is_cut: bool,
}

pub async fn list(visit: OperatorVisit) -> Answer {
    let (chosen, search) = Form::search(visit.query(), |fields| {
        let client = optional(fields.text("client"), |id| {
            let id = id.parse::<ClientId>();
            id.map_err(|_| "this is not a client id")
        });
        fields.take("client", client)
    });
    let clients = visit.stores().clients.list(CLIENTS).await?;
    let rows = match chosen {
        Some(Some(client)) => Some(visit.stores().catalogues.list(client, visit.now).await?),
        Some(None) => {
            let all = clients.iter().map(|client| client.id).collect();
            visit.state.catalogues(all, visit.now).await?
        }
        None => Some(Vec::new()),
    };
    let page = Page {
        frame: frame(&visit, &search),
        rows,
        is_cut: clients.len() == CLIENTS && chosen == Some(None),
        clients,
        search,
    };
    page.frame.answer(&page)
}

pub async fn own(visit: Visit) -> Answer {
    let client = visit.client(Scope::READERS)?;
    let page = Page {
        frame: frame(&visit, &Fields::default()),
        rows: Some(visit.stores().catalogues.list(client.id, visit.now).await?),
        clients: Vec::new(),
        search: Fields::default(),
        is_cut: false,
    };
    page.frame.answer(&page)
}

fn frame(visit: &Visit, fields: &Fields) -> Frame {
    let frame = visit.frame_of_form(PATH, "Catalogues", fields);
    let is_forgotten = visit.done().as_deref() == Some("forget");
    let said = "The catalogue is forgotten; its postings stay as they are.";
    frame.saying(is_forgotten.then_some(said))
}
