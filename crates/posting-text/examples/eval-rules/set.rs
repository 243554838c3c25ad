use std::{error::Error, fs, ops::Range, path::Path};

use posting_text::redact::Kind;

/// A range to hide; without a kind, it may stay.
pub struct Label {
    pub kind: Option<Kind>,
    pub range: Range<usize>,
}

#[derive(Default)]
pub struct Sample {
    pub language: String,
    pub country: String,
    pub city: String,
    pub title: String,
    pub name: String,
    pub other_names: Vec<String>,
    pub website: String,
    pub text: String,
    pub labels: Vec<Label>,
    /// Phrases that must stay, besides all unlabelled words.
    pub keep: Vec<Range<usize>>,
    pub is_rejected: bool,
    pub is_title: bool,
}

pub fn read(folder: &Path) -> Result<Vec<Sample>, Box<dyn Error>> {
    let mut out = Vec::new();
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    for file in files {
        out.extend(samples(&fs::read_to_string(file.path())?)?);
    }
    Ok(out)
}

/// Reads postings, and texts to refuse below a head without a company: see `eval/README.md`.
fn samples(text: &str) -> Result<Vec<Sample>, Box<dyn Error>> {
    let mut out: Vec<Sample> = Vec::new();
    let mut refused: Option<(&str, &str)> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(head) = line.strip_prefix("=== ") {
            let mut fields = head.split('|').map(str::trim);
            let language = fields.next().unwrap_or_default();
            let (language, country) = language.split_once(' ').unwrap_or((language, ""));
            let name = fields.next();
            refused = name.is_none().then_some((language, country));
            let mut next = || fields.next().unwrap_or_default().to_owned();
            out.extend(name.map(|name| Sample {
                language: language.to_owned(),
                country: country.to_owned(),
                name: name.to_owned(),
                website: next(),
                city: next(),
                ..Sample::default()
            }));
        } else if let Some((language, country)) = refused {
            out.push(Sample {
                language: language.to_owned(),
                country: country.to_owned(),
                name: "Acmera".to_owned(),
                text: line.to_owned(),
                is_rejected: true,
                ..Sample::default()
            });
        } else if let Some(last) = out.last_mut() {
            match line.strip_prefix("# ") {
                Some(title) => last.title = unlabelled(title)?,
                None => label(line.strip_prefix("- ").unwrap_or(line), last)?,
            }
        }
    }
    Ok(out)
}

fn unlabelled(line: &str) -> Result<String, Box<dyn Error>> {
    let mut of_line = Sample::default();
    label(line, &mut of_line)?;
    Ok(of_line.text.lines().next().unwrap_or_default().to_owned())
}

/// Adds a line with labels: `{c:Acmera} hires`.
pub fn label(line: &str, sample: &mut Sample) -> Result<(), Box<dyn Error>> {
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('{') {
        sample.text.push_str(before);
        let (inside, after) = after
            .split_once('}')
            .ok_or_else(|| format!("no end of a label: {line}"))?;
        let (kind, text) = inside
            .split_once(':')
            .ok_or_else(|| format!("no kind: {line}"))?;
        let start = sample.text.len();
        sample.text.push_str(text);
        let range = start..sample.text.len();
        let kind = match kind {
            "c" => Some(Kind::Company),
            "e" => Some(Kind::Email),
            "p" => Some(Kind::Phone),
            "u" => Some(Kind::Link),
            "n" => Some(Kind::Person),
            "a" => Some(Kind::Address),
            "i" => Some(Kind::Id),
            "h" => Some(Kind::Handle),
            "o" | "k" => None,
            _ => return Err(format!("unknown kind: {line}").into()),
        };
        if inside.starts_with('k') {
            sample.keep.push(range);
        } else {
            sample.labels.push(Label { kind, range });
        }
        rest = after;
    }
    sample.text.push_str(rest);
    sample.text.push_str("\n\u{1e}\n");
    Ok(())
}
