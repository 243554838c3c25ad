//! The pages of `docs` that a board serves to integrators, and the files to which these pages link.

use askama::Template;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};
use url::Url;

macro_rules! files {
    ($($path:literal)+) => {
        [$(($path, include_str!(concat!("../../../docs/", $path)))),+]
    };
}

/// Pages by their path in `docs`. Each is also served as HTML, at the path without the extension.
pub const PAGES: [(&str, &str); 6] = files!(
    "api.md" "api/push.md" "api/read.md" "api/webhooks.md" "api/newsletter.md" "sources.md"
);

pub const FILES: [(&str, &str); 7] = files!(
    "examples/board_copy.py" "examples/posthaste_scrapy.py" "examples/receiver.js"
    "examples/receiver.py" "pictures/nights.svg" "pictures/posting.svg" "pictures/states.svg"
);

#[derive(Template)]
#[template(path = "guide/document.html")]
struct Page {
    title: String,
    body: String,
}

pub fn kind(path: &str) -> &'static str {
    match path.rsplit_once('.') {
        Some((_, "svg")) => "image/svg+xml",
        Some((_, "py")) => "text/x-python",
        Some((_, "js")) => "text/javascript",
        _ => "text/markdown",
    }
}

pub fn page((path, text): (&str, &str)) -> Result<String, askama::Error> {
    let title = text.lines().next().unwrap_or_default();
    let title = title.trim_start_matches(['#', ' ']).to_owned();
    let body = html_of(path, text)?;
    Page { title, body }.render()
}

/// The table of a posting's fields, as Markdown for another page.
pub fn fields() -> String {
    let (path, text) = PAGES[1];
    let (_, rest) = text.split_once("### Fields\n").unwrap_or_default();
    let fields = rest.split("\n#").next().unwrap_or_default();
    fields.replace("](#", &format!("](/docs/{path}#"))
}

/// Renders a page as HTML. Headings have the same anchors as on GitHub. Links to pages that a board
/// does not serve become text.
pub fn html_of(path: &str, text: &str) -> Result<String, askama::Error> {
    let base = Url::parse("http://board/docs/").and_then(|base| base.join(path));
    let base = base.map_err(|error| askama::Error::Custom(error.into()))?;
    let mut is_text = false;
    let mut events = Vec::new();
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { ref dest_url, .. }) if served(&base, dest_url).is_none() => {
                is_text = true;
            }
            Event::End(TagEnd::Link) if is_text => is_text = false,
            mut event => {
                if let Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) =
                    &mut event
                {
                    let target = served(&base, dest_url);
                    *dest_url = target.map_or(CowStr::Borrowed(""), CowStr::from);
                }
                events.push(event);
            }
        }
    }
    for at in 0..events.len() {
        let (start, rest) = events[at..].split_at_mut(1);
        if let Event::Start(Tag::Heading { id, .. }) = &mut start[0] {
            let title = rest.iter().map_while(|event| match event {
                Event::End(TagEnd::Heading(_)) => None,
                Event::Text(text) | Event::Code(text) => Some(&**text),
                _ => Some(""),
            });
            *id = Some(CowStr::from(anchor(&title.collect::<String>())));
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, events.into_iter());
    Ok(body)
}

/// The address at which a board serves a link's target.
fn served(base: &Url, link: &str) -> Option<String> {
    if link.starts_with('#') || link.contains("://") {
        return Some(link.to_owned());
    }
    let target = base.join(link).ok()?;
    let path = target.path().strip_prefix("/docs/")?;
    let is_in = |files: &[(&str, &str)]| files.iter().any(|(of, _)| *of == path);
    let shown = if is_in(&PAGES) {
        path.strip_suffix(".md")?
    } else {
        is_in(&FILES).then_some(path)?
    };
    let fragment = target.fragment().map(|it| format!("#{it}"));
    Some(format!("/docs/{shown}{}", fragment.unwrap_or_default()))
}

fn anchor(title: &str) -> String {
    let title = title.to_lowercase().replace(' ', "-");
    title.replace(|c: char| c != '-' && !c.is_alphanumeric(), "")
}
