//! Composes labelled postings from the tables that `eval/README.md` describes.

use std::{collections::BTreeMap, error::Error, fs, path::Path};

use crate::set::{Sample, label};

/// Lists whose words have no cases, and may have a `/`.
const NO_CASES: [&str; 3] = ["tel", "street", "legal"];

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % below.max(1) as u64).unwrap_or_default()
    }

    fn digit(&mut self) -> char {
        char::from(b"0123456789"[self.next(10)])
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.next(from.len()))
    }
}

#[derive(Clone, Default)]
struct Tables {
    language: String,
    country: String,
    city: String,
    words: BTreeMap<String, Vec<String>>,
    lines: Vec<(String, String)>,
}

/// Composes `rounds` postings for each shape in each language. Returns each with its shape.
pub fn generate(
    folder: &Path,
    seed: u64,
    rounds: usize,
) -> Result<Vec<(String, Sample)>, Box<dyn Error>> {
    let mut files: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(fs::DirEntry::file_name);
    let mut shared: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut languages = Vec::new();
    for file in files {
        for table in tables(&fs::read_to_string(file.path())?) {
            match table.language.strip_prefix('+') {
                Some(name) => {
                    shared.insert(name.to_owned(), table.lines);
                }
                None => languages.push(table),
            }
        }
    }
    let mut out = Vec::new();
    let mut random = Random(seed);
    for mut table in languages {
        let order = table.words.get("order").and_then(|order| order.first());
        if let Some(lines) = order.and_then(|order| shared.get(order)) {
            table.lines.extend(lines.iter().cloned());
        }
        for (shape, line) in &table.lines {
            if shape.starts_with("name") || shape.starts_with("plain") {
                continue;
            }
            for _ in 0..rounds {
                let sample = posting(&table, shape, line, &mut random)?;
                out.extend(sample.map(|sample| (shape.clone(), sample)));
            }
        }
    }
    Ok(out)
}

fn tables(text: &str) -> Vec<Tables> {
    const LINES: [&str; 7] = ["name", "plain", "firm", "contact", "address", "id", "phone"];
    let mut out: Vec<Tables> = Vec::new();
    for line in text.lines() {
        if let Some(head) = line.strip_prefix("@ ") {
            let mut parts = head.splitn(3, ' ').map(str::to_owned);
            let mut part = || parts.next().unwrap_or_default();
            out.push(Tables {
                language: part(),
                country: part(),
                city: part(),
                ..Tables::default()
            });
            continue;
        }
        let Some((key, value)) = line.split_once(": ").filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let Some(table) = out.last_mut() else {
            continue;
        };
        let kind = key.split('.').next().unwrap_or_default();
        if LINES.contains(&kind) {
            table.lines.push((key.to_owned(), value.to_owned()));
        } else {
            let words = value.split('|').map(|word| word.trim().to_owned());
            table.words.insert(key.to_owned(), words.collect());
        }
    }
    out
}

/// A line about a name makes a company; any other gets an invented company.
fn posting(
    table: &Tables,
    shape: &str,
    line: &str,
    random: &mut Random,
) -> Result<Option<Sample>, Box<dyn Error>> {
    let is_firm = shape.starts_with("firm");
    let firm = if is_firm {
        line
    } else {
        "<coined> <legal> | <coined>"
    };
    let Some(mut slots) = Slots::of(table, random) else {
        return Ok(None);
    };
    let mut parts = firm.split('|').map(str::trim);
    let registered = slots.fill(parts.next().unwrap_or_default(), 0, random)?;
    let whole = slots.fill(parts.next().unwrap_or_default(), 0, random)?;
    let short = parts.next().or(firm.split('|').nth(1)).unwrap_or_default();
    let mut sample = Sample {
        language: table.language.clone(),
        country: table.country.clone(),
        city: table.city.clone(),
        name: registered,
        ..Sample::default()
    };
    let of = |kind: &str| -> Vec<&str> {
        let lines = table.lines.iter();
        let lines = lines.filter(|(key, _)| key.split('.').next() == Some(kind));
        lines.map(|(_, line)| line.as_str()).collect()
    };
    let (names, plain) = (of("name"), of("plain"));
    let mut lines: Vec<String> = Vec::new();
    lines.extend(random.pick(&plain).map(|line| (*line).to_owned()));
    for _ in 0..if is_firm { 4 } else { 1 } {
        let Some(name) = random.pick(&names) else {
            continue;
        };
        let mut text = name.replace("{W}", &format!("{{c:{whole}}}"));
        for case in 0..8 {
            let slot = format!("{{{case}}}");
            if text.contains(&slot) {
                let inflected = slots.fill(short.trim(), case, random)?;
                text = text.replace(&slot, &format!("{{c:{inflected}}}"));
            }
        }
        if !lines.contains(&text) {
            lines.push(text);
        }
    }
    lines.extend(random.pick(&plain).map(|line| (*line).to_owned()));
    if !is_firm {
        lines.push(slots.fill(line, 0, random)?);
    }
    for line in lines {
        label(&line, &mut sample)?;
    }
    Ok(Some(sample))
}

struct Slots<'a> {
    table: &'a Tables,
    chosen: BTreeMap<String, String>,
}

impl<'a> Slots<'a> {
    fn of(table: &'a Tables, random: &mut Random) -> Option<Self> {
        let mut chosen = BTreeMap::new();
        for (list, words) in &table.words {
            let first = random.next(words.len());
            chosen.insert(list.clone(), words[first].clone());
            // A different word of the same list.
            let second = words.get((first + 1) % words.len())?;
            chosen.insert(format!("{list}2"), second.clone());
        }
        Some(Self { table, chosen })
    }

    /// Fills the slots of a pattern, `<given>`, and its digits, `#`. Inflected words get this case.
    fn fill(
        &mut self,
        pattern: &str,
        case: usize,
        random: &mut Random,
    ) -> Result<String, Box<dyn Error>> {
        let mut out = String::new();
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('<') {
            out.push_str(before);
            let (slot, after) = after
                .split_once('>')
                .ok_or_else(|| format!("no end of a slot: {pattern}"))?;
            let value = self.value(slot, case, random);
            out.push_str(
                &value.ok_or_else(|| format!("no {slot} in {}: {pattern}", self.table.language))?,
            );
            rest = after;
        }
        out.push_str(rest);
        let mut digits = |c: char| match c {
            '#' => random.digit(),
            c => c,
        };
        Ok(out.trim().chars().map(&mut digits).collect())
    }

    /// A slot is initials, a number with check digits, or a listed word in a grammatical case.
    fn value(&mut self, slot: &str, case: usize, random: &mut Random) -> Option<String> {
        let digits = |random: &mut Random, count: usize| -> String {
            (0..count).map(|_| random.digit()).collect()
        };
        match slot.split(' ').collect::<Vec<_>>().as_slice() {
            ["initials", count] => {
                let known = self.chosen.get(slot).cloned();
                let made = || {
                    let letter = |_| char::from(b"BDFGKLMNPRSTVWZ"[random.next(15)]);
                    (0..count.parse().unwrap_or(3)).map(letter).collect()
                };
                let initials: String = known.unwrap_or_else(made);
                self.chosen.insert(slot.to_owned(), initials.clone());
                Some(initials)
            }
            ["iban", country, length] => {
                let rest = digits(random, length.parse().ok()?);
                Some(format!(
                    "{country}{:02}{rest}",
                    98 - iban_rest(country, &rest)
                ))
            }
            ["vatde"] => {
                let front = digits(random, 8);
                Some(format!("DE{front}{}", iso_7064(&front)))
            }
            _ => {
                let (slot, shouts) = match slot.strip_prefix('^') {
                    Some(slot) => (slot, true),
                    None => (slot, false),
                };
                let word = self.chosen.get(slot)?;
                let forms: Vec<&str> = word.split('/').collect();
                let form = if NO_CASES.iter().any(|list| slot.starts_with(list)) {
                    word.as_str()
                } else {
                    forms.get(case).or(forms.first())?
                };
                Some(if shouts {
                    form.to_uppercase()
                } else {
                    form.to_owned()
                })
            }
        }
    }
}

/// The rest of an account number without check digits, modulo 97 (ISO 13616).
fn iban_rest(country: &str, rest: &str) -> u32 {
    let all = rest.chars().chain(country.chars()).chain("00".chars());
    all.filter_map(|c| c.to_digit(36)).fold(0, |sum, value| {
        (if value < 10 { sum * 10 } else { sum * 100 } + value) % 97
    })
}

/// The check digit of a German VAT number (ISO 7064, modulo 11 and 10).
fn iso_7064(front: &str) -> u32 {
    let product = front
        .chars()
        .filter_map(|c| c.to_digit(10))
        .fold(10, |product, digit| {
            let sum = (digit + product) % 10;
            (if sum == 0 { 10 } else { sum }) * 2 % 11
        });
    (11 - product) % 10
}
