//! XML as JSON, in the form of `xmltodict` and `xq`.
//!
//! An element becomes its text, or an object: attributes as `@name`, elements by prefixed name
//! (several as a list), and other text as `#text`. An empty element becomes `null`. An element with
//! mixed content or HTML elements becomes its markup.

use std::borrow::Cow;

use anyhow::{Context as _, bail, ensure};
use jaq_json::{Map, Rc, Val};
use quick_xml::{
    Reader, XmlVersion,
    escape::resolve_predefined_entity,
    events::{BytesStart, Event},
};

/// The maximum depth, which limits the stack.
const DEEPEST: usize = 128;
const MARKUP: &[&str] = &[
    "b", "br", "div", "em", "h1", "h2", "h3", "h4", "i", "li", "ol", "p", "span", "strong",
    "table", "ul",
];

/// Fails for encodings other than UTF-8.
pub fn check_encoding(xml: &[u8]) -> anyhow::Result<()> {
    let line = xml.split(|byte| *byte == b'>').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    let encoding = line.split_once("encoding=").map(|(_, rest)| rest);
    let encoding = encoding.and_then(|rest| rest.split(['"', '\'']).nth(1));
    match encoding {
        None | Some("utf-8" | "utf8" | "us-ascii") => Ok(()),
        Some(other) => bail!(
            "it is XML in {other}; change it to UTF-8: iconv -f {other} -t UTF-8 | sed \
             '1s/{other}/UTF-8/I'"
        ),
    }
}

struct Element {
    name: String,
    start: usize,
    members: Map,
    text: String,
    has_elements: bool,
    is_markup: bool,
}

impl Element {
    fn new(name: &str, start: usize) -> Self {
        Self {
            name: name.to_owned(),
            start,
            members: Map::default(),
            text: String::new(),
            has_elements: false,
            is_markup: false,
        }
    }

    fn open(start: &BytesStart<'_>, at: usize) -> anyhow::Result<Self> {
        let mut element = Self::new(start.name().0, at);
        for attribute in start.attributes().with_checks(false) {
            let attribute = attribute?;
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_or_else(|_| attribute.value.to_string(), Cow::into_owned);
            let name = format!("@{}", attribute.key.0);
            element.members.insert(name.into(), value.into());
        }
        Ok(element)
    }

    fn add(&mut self, name: &str, value: Val) {
        self.has_elements = true;
        self.is_markup |= MARKUP.contains(&name);
        let key = Val::from(name.to_owned());
        match self.members.get_mut(&key) {
            Some(Val::Arr(values)) => Rc::make_mut(values).push(value),
            Some(first) => *first = [std::mem::take(first), value].into_iter().collect(),
            None => {
                self.members.insert(key, value);
            }
        }
    }

    fn value(mut self, content: &str) -> Val {
        let text = self.text.trim();
        if self.has_elements && (self.is_markup || !text.is_empty()) {
            return content.trim().to_owned().into();
        }
        let text = (!text.is_empty()).then(|| Val::from(text.to_owned()));
        if self.members.is_empty() {
            return text.unwrap_or_default();
        }
        if let Some(text) = text {
            self.members.insert("#text".to_owned().into(), text);
        }
        Val::obj(self.members)
    }
}

pub fn parse(xml: &str) -> anyhow::Result<Val> {
    let mut reader = Reader::from_str(xml);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    config.allow_dangling_amp = true;
    let mut root = Element::new("", 0);
    let mut open: Vec<Element> = Vec::new();
    loop {
        let before = offset(&reader);
        let event = reader.read_event();
        let event = event.with_context(|| format!("the XML is wrong at byte {before}"))?;
        let current = open.last_mut().unwrap_or(&mut root);
        match event {
            Event::Start(start) => {
                ensure!(
                    open.len() < DEEPEST,
                    "the XML has more than {DEEPEST} levels"
                );
                open.push(Element::open(&start, offset(&reader))?);
            }
            Event::End(_) => {
                let Some(element) = open.pop() else {
                    continue;
                };
                let content = xml.get(element.start..before).unwrap_or_default();
                let name = element.name.clone();
                let value = element.value(content);
                open.last_mut().unwrap_or(&mut root).add(&name, value);
            }
            Event::Text(text) => current.text.push_str(&text),
            Event::CData(text) => current.text.push_str(&text),
            Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                Ok(Some(character)) => current.text.push(character),
                _ => match resolve_predefined_entity(&reference) {
                    Some(text) => current.text.push_str(text),
                    // An entity of HTML, which texts of postings contain.
                    None => current.text.extend(["&", &*reference, ";"]),
                },
            },
            Event::Eof => match open.last() {
                None => return Ok(Val::obj(root.members)),
                Some(element) => bail!("the XML ends before <{}> does", element.name),
            },
            _ => {}
        }
    }
}

fn offset(reader: &Reader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}
