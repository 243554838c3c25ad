use std::{error::Error, fs, ops::Range, path::Path};

use posting_text::{
    Budget, markdown,
    redact::{self, Kind},
};
use pulldown_cmark::{Event, Options, Parser, TagEnd};
use serde_json::Value;
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use crate::score;
use crate::set::{Label, Sample};

/// The title of a posting with labels is a sample of its own.
pub fn read(file: &Path) -> Result<Vec<Sample>, Box<dyn Error>> {
    let mut out = Vec::new();
    for line in fs::read_to_string(file)?.lines() {
        let line: Value = serde_json::from_str(line)?;
        let payload = &line["payload"];
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let sample = |text: String, hide: &str, keep_key: &str| -> Result<Sample, Box<dyn Error>> {
            let mut labels: Vec<Label> = Vec::new();
            for label in line[hide].as_array().into_iter().flatten() {
                let from = labels.last().map_or(0, |last| last.range.end);
                let range = placed(&text, from, &label["text"], &[])?;
                labels.push(Label {
                    kind: Some(kind(&word(&label["kind"]))?),
                    range,
                });
            }
            let mut keep: Vec<Range<usize>> = Vec::new();
            for phrase in line[keep_key].as_array().into_iter().flatten() {
                let from = keep.last().map_or(0, |last| last.end);
                keep.push(placed(&text, from, phrase, &labels)?);
            }
            let cores = line[hide].as_array().into_iter().flatten();
            let wholes: Vec<_> = labels.iter().map(|label| label.range.clone()).collect();
            for (label, core) in labels.iter_mut().zip(cores) {
                label.range = core_of(&text, label.range.clone(), &word(&core["core"]));
            }
            labels.extend(wholes.into_iter().map(|range| Label { kind: None, range }));
            Ok(Sample {
                language: word(&line["lang"]),
                country: word(&payload["location_country_code"]),
                city: word(&payload["location_city"]),
                title: word(&payload["title"]),
                name: word(&payload["company"]["name"]),
                website: word(&payload["company"]["website_url"]),
                labels,
                keep,
                text,
                ..Sample::default()
            })
        };
        let description = sample(text(&word(&payload["raw_description"]))?, "hide", "keep")?;
        let budget = Budget::of(&description.text);
        let posting = score::posting(&description, &[], &[]);
        let other_names = redact::related(&description.text, &posting, &budget)?;
        out.push(description);
        out.push(Sample {
            is_title: true,
            other_names,
            ..sample(spaced(&word(&payload["title"])), "title_hide", "title_keep")?
        });
    }
    Ok(out)
}

fn text(description: &str) -> Result<String, Box<dyn Error>> {
    let markdown = markdown::from_description(description, &Budget::of(description))?;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut out = String::new();
    for event in Parser::new_ext(&markdown, options) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::SoftBreak | Event::HardBreak => out.push('\n'),
            Event::End(end) if !is_inline(end) && !out.ends_with("\u{1e}\n") => {
                out.push_str("\n\u{1e}\n");
            }
            _ => {}
        }
    }
    Ok(out)
}

const fn is_inline(end: TagEnd) -> bool {
    use TagEnd::{Emphasis, Image, Link, Strikethrough, Strong};
    matches!(end, Emphasis | Image | Link | Strikethrough | Strong)
}

fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn placed(
    text: &str,
    from: usize,
    phrase: &Value,
    labels: &[Label],
) -> Result<Range<usize>, Box<dyn Error>> {
    let phrase = spaced(phrase.as_str().ok_or("a phrase is no text")?);
    let ranges = text[from..].match_indices(&phrase);
    let mut ranges = ranges.map(|(at, _)| from + at..from + at + phrase.len());
    let is_free = |range: &Range<usize>| {
        let touches =
            |label: &Label| label.range.start < range.end && range.start < label.range.end;
        !labels.iter().any(touches)
    };
    let found = ranges.find(is_free);
    found.ok_or_else(|| format!("not in the text: {phrase}").into())
}

/// The identifying part of a label: the given core, or all but an ending after an apostrophe.
fn core_of(text: &str, label: Range<usize>, core: &str) -> Range<usize> {
    let mut folded = String::new();
    let mut from = Vec::new();
    for (at, c) in text[label.clone()].char_indices() {
        folded.extend(fold(c));
        from.resize(folded.len(), label.start + at);
    }
    from.push(label.end);
    let core: String = core.chars().flat_map(fold).collect();
    if let Some(at) = folded.find(&core)
        && !core.is_empty()
        && core != folded
    {
        return from[at]..from[at + core.len()];
    }
    let ending = text[label.clone()].rfind(['\'', '’']);
    let ending = ending.map(|at| label.start + at);
    let is_ending = |at: &usize| text[*at..label.end].chars().skip(1).all(char::is_lowercase);
    label.start..ending.filter(is_ending).unwrap_or(label.end)
}

fn fold(c: char) -> impl Iterator<Item = char> {
    let lower = c.to_lowercase().nfd();
    lower.filter(|c| !is_combining_mark(*c))
}

fn kind(name: &str) -> Result<Kind, String> {
    match name {
        "register" => Ok(Kind::Id),
        "url" => Ok(Kind::Link),
        name => Kind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| format!("unknown kind: {name}")),
    }
}
