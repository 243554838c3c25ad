//! Link parameters that track a reader's origin and change nothing on the page.

const BEGINNINGS: [&str; 2] = ["utm_", "hsa_"];

/// Parameters of applicant tracking systems, advertisements and newsletters.
const NAMES: [&str; 24] = [
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "dclid",
    "fbclid",
    "gad_source",
    "gbraid",
    "gclid",
    "gh_src",
    "hsctatracking",
    "igshid",
    "lever-origin",
    "lever-source",
    "lever-source[]",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "msclkid",
    "ttclid",
    "twclid",
    "wbraid",
    "yclid",
];

pub fn is_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace("%5b%5d", "[]");
    BEGINNINGS.iter().any(|it| name.starts_with(it)) || NAMES.contains(&name.as_str())
}

/// A part of a query: `name=value` or `name`.
pub fn is_pair(pair: &str) -> bool {
    is_name(pair.split('=').next().unwrap_or_default())
}
