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

#[derive(Clone, Default)]
struct Company {
    name: String,
    website: String,
    city: String,
    other_names: Vec<String>,
    lines: Vec<String>,
}

#[derive(Default)]
struct Section {
    language: String,
    country: String,
    companies: Vec<Company>,
    contacts: Vec<String>,
    traps: Vec<String>,
    rejects: Vec<String>,
}

/// The figures of the first run over a set. From then on, the set is `seen`.
pub const FIRST_LOOK: &str = "first-look";

pub fn read(folder: &Path) -> Result<Vec<Sample>, Box<dyn Error>> {
    let mut out = Vec::new();
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.retain(|file| file.file_name() != FIRST_LOOK);
    files.sort_by_key(fs::DirEntry::file_name);
    for file in files {
        let text = fs::read_to_string(file.path())?;
        if text.contains("=== ") {
            out.extend(postings(&text)?);
            continue;
        }
        for section in sections(&text) {
            samples(&section, &mut out)?;
        }
    }
    Ok(out)
}

/// Reads whole postings: `=== pl PL | name | website | city`, a title, and lines.
fn postings(text: &str) -> Result<Vec<Sample>, Box<dyn Error>> {
    let mut out: Vec<Sample> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(head) = line.strip_prefix("=== ") {
            let mut fields = head.split('|').map(|field| field.trim().to_owned());
            let mut next = || fields.next().unwrap_or_default();
            let language = next();
            let (language, country) = language.split_once(' ').unwrap_or((&language, ""));
            out.push(Sample {
                language: language.to_owned(),
                country: country.to_owned(),
                name: next(),
                website: next(),
                city: next(),
                ..Sample::default()
            });
        } else if let Some(last) = out.last_mut() {
            match line.strip_prefix("# ") {
                Some(title) if last.title.is_empty() => {
                    let mut of_title = Sample::default();
                    label(title, &mut of_title)?;
                    of_title
                        .text
                        .lines()
                        .next()
                        .unwrap_or_default()
                        .clone_into(&mut last.title);
                }
                _ => label(line.strip_prefix("- ").unwrap_or(line), last)?,
            }
        }
    }
    Ok(out)
}

fn sections(text: &str) -> Vec<Section> {
    let mut out: Vec<Section> = Vec::new();
    let mut part = "";
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(head) = line.strip_prefix("@ ") {
            let (language, country) = head.split_once(' ').unwrap_or((head, ""));
            out.push(Section {
                language: language.to_owned(),
                country: country.to_owned(),
                ..Section::default()
            });
            continue;
        }
        let Some(section) = out.last_mut() else {
            continue;
        };
        if line.starts_with('%') {
            part = line;
        } else if let Some(head) = line.strip_prefix("= ") {
            part = "";
            let mut fields = head.split('|').map(|field| field.trim().to_owned());
            let mut next = || fields.next().unwrap_or_default();
            section.companies.push(Company {
                name: next(),
                website: next(),
                city: next(),
                ..Company::default()
            });
        } else if let (Some(name), Some(company)) =
            (line.strip_prefix("+ "), section.companies.last_mut())
        {
            company.other_names.push(name.to_owned());
        } else {
            let line = line.to_owned();
            match (part, section.companies.last_mut()) {
                ("%contacts", _) => section.contacts.push(line),
                ("%traps", _) => section.traps.push(line),
                ("%reject", _) => section.rejects.push(line),
                (_, Some(company)) => company.lines.push(line),
                _ => {}
            }
        }
    }
    out
}

/// Creates two postings for each company, each with half of its lines and a part of the contacts
/// and traps. Without traps, creates one with all its lines.
fn samples(section: &Section, out: &mut Vec<Sample>) -> Result<(), Box<dyn Error>> {
    let mut number = 0;
    for company in &section.companies {
        if section.traps.is_empty() {
            out.push(sample(section, company, company.lines.iter())?);
            continue;
        }
        for half in 0..2 {
            let of_company = company.lines.iter().skip(half).step_by(2);
            let contacts = section
                .contacts
                .iter()
                .skip((number % 2).min(section.contacts.len() - 1))
                .step_by(2);
            let trap = &section.traps[number % section.traps.len()];
            let trap_again = &section.traps[(number + 1) % section.traps.len()];
            let lines = [trap]
                .into_iter()
                .chain(of_company)
                .chain([trap_again])
                .chain(contacts);
            out.push(sample(section, company, lines)?);
            number += 1;
        }
    }
    for text in &section.rejects {
        out.push(Sample {
            language: section.language.clone(),
            country: section.country.clone(),
            name: "Acmera".to_owned(),
            text: text.clone(),
            is_rejected: true,
            ..Sample::default()
        });
    }
    Ok(())
}

fn sample<'a>(
    section: &Section,
    company: &Company,
    lines: impl Iterator<Item = &'a String>,
) -> Result<Sample, Box<dyn Error>> {
    let mut sample = Sample {
        language: section.language.clone(),
        country: section.country.clone(),
        city: company.city.clone(),
        name: company.name.clone(),
        other_names: company.other_names.clone(),
        website: company.website.clone(),
        ..Sample::default()
    };
    for line in lines {
        label(line, &mut sample)?;
    }
    Ok(sample)
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
        let start = sample.text.len();
        sample.text.push_str(text);
        let range = start..sample.text.len();
        if inside.starts_with("k:") {
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
