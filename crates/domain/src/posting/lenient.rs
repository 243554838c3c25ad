//! Lenient handling (RFC 7240): invalid values are corrected if their meaning is certain; other
//! invalid optional values are left out.
//!
//! A valid payload stays unchanged. Otherwise each invalid value is replaced or removed, and the
//! result is read again by the usual rules. So no value is stored that the rules refuse.

use std::{borrow::Cow, sync::Arc};

use fields::{
    FieldValue as _, Term, body,
    body::BodyError,
    codes::{CountryCode, CurrencyCode},
    day,
    validation::FieldErrors,
    website,
};
use serde_json::{Map, Value, json};

use super::{EmploymentType, LocationType, Notice, PostingPatch, SalaryPeriod};

#[derive(Clone, Debug, Default)]
pub(crate) struct Payload {
    pub(crate) patch: PostingPatch,
    pub(crate) errors: FieldErrors,
    pub(crate) notices: Vec<Notice>,
    /// The errors of ways to apply that were left out; reported if no way to apply remains.
    pub(crate) dropped: FieldErrors,
}

impl From<(PostingPatch, FieldErrors)> for Payload {
    fn from((mut patch, mut errors): (PostingPatch, FieldErrors)) -> Self {
        patch.encode_addresses(&mut errors);
        Self {
            patch,
            errors,
            ..Self::default()
        }
    }
}

impl Payload {
    pub(crate) fn parse(json: &str) -> Result<Self, BodyError> {
        Ok(body::parse(json)?.into())
    }

    pub(crate) fn leniently(self, json: &str) -> Result<Self, BodyError> {
        if self.errors.is_empty() {
            return Ok(self);
        }
        let mut notices = Vec::new();
        let mut dropped = FieldErrors::new();
        let mut members = Vec::new();
        for (name, sent) in body::members(json) {
            let Some(taken) = take(&name, sent, &self.errors, &mut notices) else {
                if name.starts_with("application_") {
                    dropped.merge(self.errors.of(&name));
                }
                continue;
            };
            members.push(format!("{}:{taken}", Value::from(&*name)));
        }
        let taken = Self::parse(&format!("{{{}}}", members.join(",")))?;
        Ok(Self {
            notices,
            dropped,
            ..taken
        })
    }
}

/// `None` omits the member.
fn take<'a>(
    name: &str,
    sent: &'a str,
    errors: &FieldErrors,
    notices: &mut Vec<Notice>,
) -> Option<Cow<'a, str>> {
    let wrong: Vec<_> = errors.iter().map(|(path, _)| path).collect();
    let within: Vec<_> = wrong
        .iter()
        .filter_map(|path| path.strip_prefix(name)?.strip_prefix('.'))
        .collect();
    let is_wrong = wrong.contains(&name);
    if !is_wrong && within.is_empty() {
        return Some(sent.into());
    }
    // A value nested too deeply is `null`.
    let mut value = serde_json::from_str::<Value>(sent).unwrap_or_default();
    let is_known = !is_wrong && !errors.is_full();
    match &mut value {
        Value::Object(members) if is_known => {
            let is_taken = |members: &Value| accepts(name, members);
            inner((name, name), members, &within, is_taken, notices);
        }
        Value::Array(items) if is_known => {
            list(name, items, &within, notices);
            // An update then keeps the stored value.
            if items.is_empty() {
                return None;
            }
        }
        _ => match correct(name, &value).filter(|value| accepts(name, value)) {
            Some(corrected) => {
                notices.push(corrected_to(name, &corrected));
                value = corrected;
            }
            None if is_needed(name) => return Some(sent.into()),
            None => {
                notices.push(Notice::LeftOut(name.into()));
                return None;
            }
        },
    }
    Some(value.to_string().into())
}

fn inner(
    (path, pattern): (&str, &str),
    members: &mut Map<String, Value>,
    wrong: &[&str],
    is_taken: impl Fn(&Value) -> bool,
    notices: &mut Vec<Notice>,
) {
    members.retain(|member, value| {
        if !wrong.iter().any(|it| it.split('.').next() == Some(member)) {
            return true;
        }
        let path = format!("{path}.{member}");
        let corrected = correct(&format!("{pattern}.{member}"), value);
        match corrected.filter(|value| is_taken(&json!({ member: value }))) {
            Some(corrected) => {
                notices.push(corrected_to(&path, &corrected));
                *value = corrected;
                true
            }
            None if is_needed(&path) => true,
            None => {
                notices.push(Notice::LeftOut(path.into()));
                false
            }
        }
    });
}

fn list(name: &str, items: &mut Vec<Value>, wrong: &[&str], notices: &mut Vec<Notice>) {
    let mut at = 0;
    items.retain_mut(|item| {
        let index = at.to_string();
        at += 1;
        let path = format!("{name}.{index}");
        let own: Vec<_> = wrong
            .iter()
            .filter(|it| it.split('.').next() == Some(&index))
            .filter_map(|it| Some(it.split_once('.')?.1))
            .collect();
        let is_wrong = wrong.contains(&&*index);
        if !is_wrong && own.is_empty() {
            return true;
        }
        let is_taken = |item: &Value| accepts(name, &json!([item]));
        let before = notices.len();
        if let Value::Object(members) = item
            && !is_wrong
        {
            let pattern = format!("{name}.*");
            inner((&path, &pattern), members, &own, is_taken, notices);
            if is_taken(item) {
                return true;
            }
        } else if let Some(corrected) = correct(&format!("{name}.*"), item).filter(is_taken) {
            notices.push(corrected_to(&path, &corrected));
            *item = corrected;
            return true;
        }
        notices.truncate(before);
        notices.push(Notice::LeftOut(path.into()));
        false
    });
}

/// Whether an invalid value is refused: the field is required, only the service sets it, or it
/// requests an expiry.
fn is_needed(path: &str) -> bool {
    let required = [
        "title",
        "raw_description",
        "company",
        "company.name",
        "company.website_url",
        "expiration",
    ];
    required.contains(&path) || PostingPatch::PROHIBITED.contains(&path)
}

fn accepts(name: &str, value: &Value) -> bool {
    let payload = Payload::parse(&json!({ name: value }).to_string());
    payload.is_ok_and(|payload| payload.errors.is_empty())
}

fn corrected_to(path: &str, value: &Value) -> Notice {
    let value = match value {
        Value::Array(items) => items.first().unwrap_or(&Value::Null),
        value => value,
    };
    let to = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    Notice::Corrected(path.into(), Arc::from(to))
}

fn correct(field: &str, value: &Value) -> Option<Value> {
    let text = value.as_str();
    match field {
        "location_country_code" | "locations.*.country_code" => term::<CountryCode>(text?),
        "salary_currency_code" => term::<CurrencyCode>(text?),
        "salary_period" => term::<SalaryPeriod>(text?),
        "employment_types.*" => term::<EmploymentType>(text?),
        "location_types.*" => term::<LocationType>(text?),
        "employment_types" | "location_types" if text.is_some() => {
            let item = correct(&format!("{field}.*"), value);
            Some(json!([item.unwrap_or_else(|| value.clone())]))
        }
        "locations" if value.is_object() => {
            let mut items = vec![value.clone()];
            let members = ["country_code"].map(|member| format!("0.{member}"));
            if !accepts(field, &json!(items)) {
                let members: Vec<_> = members.iter().map(String::as_str).collect();
                list(field, &mut items, &members, &mut Vec::new());
            }
            (!items.is_empty()).then(|| json!(items))
        }
        "salary_min" | "salary_max" => whole(value).map(Value::from),
        "application_url" | "company.website_url" => with_scheme(text?).map(Value::from),
        "application_email" => {
            let address = text?.trim().strip_prefix("mailto:")?;
            Some(Value::from(address))
        }
        "valid_through" | "date_posted" => date(text?).map(Value::from),
        _ => None,
    }
}

fn term<T: Term>(text: &str) -> Option<Value> {
    T::certain(text).map(Value::from)
}

/// Reads a number, or a text that holds one; fractions are rounded half up.
fn whole(value: &Value) -> Option<i64> {
    let text: String = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => plain_number(text)?,
        _ => return None,
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let is_up = fraction.starts_with(|first: char| first >= '5');
    whole.parse::<i64>().ok()?.checked_add(is_up.into())
}

/// The signs that may group digits, all groups of a number by the same one.
const GROUPING: [char; 7] = [' ', '\u{a0}', '\u{202f}', '\'', '’', '.', ','];

/// The number of a text, with a point before the fraction. Groups have three digits, so `12 15` is
/// no number. A single point or comma before three digits is ambiguous.
fn plain_number(text: &str) -> Option<String> {
    let text = text.trim();
    let (whole, fraction) = match text.rfind(['.', ',']).map(|at| text.split_at(at)) {
        Some((whole, rest)) if !whole.contains(&rest[..1]) => {
            if rest.len() == 4 && !whole.contains(['.', ',']) {
                return None;
            }
            (whole, &rest[1..])
        }
        _ => (text, ""),
    };
    let separator = whole.chars().find(|sign| !sign.is_ascii_digit());
    if separator.is_some_and(|sign| !GROUPING.contains(&sign)) {
        return None;
    }
    let groups: Vec<_> = separator.map_or(vec![whole], |sign| whole.split(sign).collect());
    let (first, others) = groups.split_first()?;
    let is_grouped = others.is_empty()
        || (1..=3).contains(&first.len()) && others.iter().all(|group| group.len() == 3);
    let is_padded = first.len() + others.len() > 1 && first.starts_with('0');
    (is_grouped && !is_padded).then(|| format!("{}.{fraction}", groups.concat()))
}

/// Top-level domains that end names of files too, or words that the missing space after a full stop
/// joins: `apply.do`, `Apply.now`.
const AMBIGUOUS: [&str; 14] = [
    "cc", "do", "here", "md", "mov", "name", "now", "nr", "page", "ps", "py", "rs", "sh", "zip",
];

/// Adds the scheme to an address without one: a host with a known top-level domain, and the rest.
fn with_scheme(text: &str) -> Option<String> {
    let text = text.trim();
    let text = text.strip_prefix("//").unwrap_or(text);
    let authority = text.split(['/', '?', '#']).next()?;
    let host = authority.split(':').next()?.to_lowercase();
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let suffix = website::known_suffix(&host)?;
    let is_clear = !AMBIGUOUS.contains(&suffix)
        || host.starts_with("www.")
        || authority.contains(':')
        || text[authority.len()..].starts_with('/');
    (is_clear && host.split('.').all(is_label)).then(|| format!("https://{text}"))
}

/// A time in another ISO 8601 spelling, or the day if it lacks a zone.
fn date(text: &str) -> Option<String> {
    let text = text.trim();
    let (day, rest) = text.split_at_checked(10)?;
    day::parse(day)?;
    let time = rest.strip_prefix(['T', 't', ' '])?.trim_start();
    time.starts_with(|first: char| first.is_ascii_digit())
        .then_some(())?;
    let (clock, zone) = match time.rfind(['+', '-', 'Z', 'z']) {
        Some(at) => time.split_at(at),
        None => return Some(day.to_owned()),
    };
    let clock = match clock.trim_end() {
        clock if clock.len() == 5 => format!("{clock}:00"),
        clock => clock.to_owned(),
    };
    let zone = match zone.len() {
        _ if !zone.is_ascii() => return None,
        5 => format!("{}:{}", &zone[..3], &zone[3..]),
        3 => format!("{zone}:00"),
        _ => zone.to_owned(),
    };
    Some(format!("{day}T{clock}{zone}"))
}
