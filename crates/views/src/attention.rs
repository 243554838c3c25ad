use kernel::{AttentionItem, AttentionKind, ClientId};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{json::Timestamp, schema::vocabularies, view};

vocabularies! {
    /// The kind of problem.
    Kind(AttentionKind);
}

/// The pages that links lead to, by URL.
#[derive(Clone, Copy, Debug)]
pub enum Pages<'a> {
    Console(&'a str),
    Integration(&'a str),
}

impl Pages<'_> {
    /// The address of a page, or of the clients' first page if clients lack the page.
    pub fn link(self, page: &str) -> String {
        match self {
            Self::Console(url) => format!("{url}{page}"),
            Self::Integration(url) => {
                let has_page = ["/catalogues/", "/webhooks/"];
                let has_page = has_page.iter().any(|path| page.starts_with(path));
                format!("{url}/integration{}", if has_page { page } else { "" })
            }
        }
    }
}

view! {
    /// Something that an operator or integrator should look at.
    #[derive(Serialize, ToSchema)]
    #[schema(as = AttentionItem)]
    pub struct Item<'a>(item: &'a AttentionItem, pages: Pages<'a>) {
        kind: Kind = Kind(item.kind),
        /// The name of its subject: a client, a catalogue, the address of a webhook.
        subject: &'a str = &item.subject,
        /// The client concerned, if any.
        client_id: Option<Uuid> = item.client.map(ClientId::uuid),
        /// When the problem began.
        #[schema(value_type = OffsetDateTime)]
        since: Timestamp = Timestamp(item.since),
        /// The problem, and what to do.
        sentence: &'a str = &item.sentence,
        /// The page about the problem.
        #[schema(format = "uri")]
        link: String = pages.link(&item.page),
    }
}

#[cfg(test)]
mod tests {
    use kernel::testing::{item, uuid};
    use serde_json::json;

    use super::*;

    #[test]
    fn a_link_leads_to_the_readers_own_pages() {
        let mut of = item(7);
        of.client = Some(ClientId::new(uuid(1)));
        let console = Item::new(&of, Pages::Console("https://console.example"));
        let expect = json!({
            "kind": "catalogue_held", "subject": "catalogue 7", "client_id": uuid(1),
            "since": "2026-03-01T12:00:00.123456Z", "sentence": "It is held back.",
            "link": format!("https://console.example/catalogues/{}", uuid(7)),
        });
        assert_eq!(serde_json::to_value(console).unwrap(), expect);
        let pages = Pages::Integration("https://a.example");
        let own = format!("https://a.example/integration/catalogues/{}", uuid(7));
        assert_eq!(Item::new(&of, pages).link, own);
        of.page = "/clients/1".to_owned();
        assert_eq!(Item::new(&of, pages).link, "https://a.example/integration");
    }
}
