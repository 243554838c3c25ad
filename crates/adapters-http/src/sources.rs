use askama::Template;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};

pub const TEXT: &str = include_str!("../../../docs/sources.md");
pub const PIPELINE: &str = include_str!("../../../docs/examples/posthaste_scrapy.py");

#[derive(Template)]
#[template(path = "guide/sources.html")]
struct Page {
    body: String,
}

pub fn page() -> Result<String, askama::Error> {
    let mut events: Vec<_> = Parser::new_ext(TEXT, Options::ENABLE_TABLES).collect();
    for at in 1..events.len() {
        let (before, rest) = events.split_at_mut(at);
        if let (Some(Event::Start(Tag::Heading { id, .. })), Some(Event::Text(text))) =
            (before.last_mut(), rest.first())
        {
            *id = Some(CowStr::from(anchor(text)));
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    Page { body }.render()
}

fn anchor(title: &str) -> String {
    let title = title.to_lowercase().replace(' ', "-");
    title.replace(|c: char| c != '-' && !c.is_alphanumeric(), "")
}
