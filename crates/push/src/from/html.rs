//! HTML: a page becomes the list of its JSON-LD. Each further page begins with a doctype.

use html5gum::{State, Token, Tokenizer};
use jaq_json::Val;

use super::document::{Document, Each};

/// The type of the items. A script with this name that cannot be parsed counts as failed.
const WANTED: &str = "JobPosting";

#[derive(Default)]
struct Page {
    has_content: bool,
    scripts: Vec<Val>,
    broken: Vec<String>,
}

impl Page {
    fn add_script(&mut self, text: &str) {
        // Line breaks within strings are common, but invalid JSON.
        let text = text.replace(|c: char| c.is_control(), " ");
        let text = text.trim().trim_start_matches("<![CDATA[");
        let text = text.trim_end_matches("]]>").trim_end_matches([';', ' ']);
        match serde_json::from_str(text) {
            Ok(value) => self.scripts.push(value),
            Err(error) if text.contains(WANTED) => self.broken.push(error.to_string()),
            Err(_) => {}
        }
    }

    fn finish(self, each: Each<'_>) -> anyhow::Result<()> {
        let is_only_broken = self.scripts.is_empty() && !self.broken.is_empty();
        for error in self.broken {
            let value = Err(format!("the page has JSON-LD that cannot be read: {error}"));
            each(Document { line: None, value })?;
        }
        if !self.has_content || is_only_broken {
            return Ok(());
        }
        let value = Ok(self.scripts.into_iter().collect());
        each(Document { line: None, value })
    }
}

pub fn read(html: &str, each: Each<'_>) -> anyhow::Result<()> {
    let mut page = Page::default();
    let mut script = None;
    let mut tokens = Tokenizer::new(html);
    while let Some(Ok(token)) = tokens.next() {
        match token {
            Token::StartTag(tag) => {
                page.has_content = true;
                let kind = tag.attributes.get(&b"type"[..]);
                let state = match &tag.name[..] {
                    b"script" => {
                        let is_data = kind.is_some_and(|kind| {
                            kind.trim_ascii()
                                .to_ascii_lowercase()
                                .starts_with(b"application/ld+json")
                        });
                        script = is_data.then(String::new);
                        State::ScriptData
                    }
                    b"style" | b"iframe" | b"noembed" | b"noframes" | b"xmp" => State::RawText,
                    b"textarea" | b"title" => State::RcData,
                    _ => continue,
                };
                tokens.set_state(state);
            }
            Token::String(text) => {
                if let Some(script) = &mut script {
                    script.push_str(&String::from_utf8_lossy(&text));
                }
            }
            Token::EndTag(_) => {
                if let Some(text) = script.take() {
                    page.add_script(&text);
                }
            }
            Token::Doctype(_) => std::mem::take(&mut page).finish(each)?,
            Token::Comment(_) | Token::Error(_) => {}
        }
    }
    page.finish(each)
}
