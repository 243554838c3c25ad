//! Words that do not identify a company.

use std::{collections::HashSet, sync::LazyLock};

/// Legal forms, without dots and spaces, lower case.
pub(crate) const LEGAL: [&str; 75] = [
    "inc",
    "incorporated",
    "ltd",
    "limited",
    "llc",
    "llp",
    "lp",
    "plc",
    "corp",
    "corporation",
    "co",
    "company",
    "gmbh",
    "ggmbh",
    "mbh",
    "ag",
    "kg",
    "kgaa",
    "ug",
    "ohg",
    "gbr",
    "ek",
    "ev",
    "eg",
    "se",
    "ab",
    "hb",
    "kb",
    "publ",
    "as",
    "asa",
    "ans",
    "aps",
    "is",
    "ivs",
    "oy",
    "oyj",
    "sa",
    "sas",
    "sasu",
    "sarl",
    "eurl",
    "sca",
    "scop",
    "snc",
    "sci",
    "gie",
    "spa",
    "srl",
    "srls",
    "sl",
    "slu",
    "sau",
    "bv",
    "nv",
    "vof",
    "spzoo",
    "zoo",
    "sro",
    "doo",
    "kft",
    "zrt",
    "nyrt",
    "pty",
    "pte",
    "pvt",
    "kk",
    "ltda",
    "hf",
    "kf",
    "iks",
    "nuf",
    "aktiebolag",
    "aksjeselskap",
    "aktieselskab",
];

/// Words before or after a name that belong to it no more than a legal form.
pub(crate) const AFFIXES: [&str; 17] = [
    "group",
    "groupe",
    "gruppe",
    "gruppen",
    "groep",
    "grupo",
    "gruppo",
    "holding",
    "holdings",
    "konzern",
    "koncernen",
    "konsern",
    "konsernet",
    "société",
    "societe",
    "firma",
    "the",
];

/// Small words that acronyms leave out.
pub(crate) const SMALL_WORDS: [&str; 48] = [
    "of", "the", "and", "for", "to", "in", "on", "at", "a", "an", "de", "du", "des", "la", "le",
    "les", "l", "d", "et", "en", "au", "aux", "pour", "sur", "für", "und", "der", "die", "das",
    "von", "im", "og", "i", "av", "for", "och", "för", "el", "los", "las", "y", "do", "da", "dos",
    "e", "di", "del", "van",
];

/// Words of two letters that begin sentences.
pub(crate) const TWO_LETTER_WORDS: [&str; 40] = [
    "if", "go", "we", "is", "it", "us", "he", "me", "my", "no", "or", "so", "up", "be", "by", "do",
    "am", "as", "vi", "du", "er", "ta", "få", "bo", "gå", "nå", "ny", "ni", "så", "år", "ja", "ou",
    "un", "tu", "il", "on", "ce", "wo", "es", "im",
];

/// Acronyms of things and roles, not of companies.
pub(crate) const ACRONYMS: [&str; 64] = [
    "SQL", "API", "CSS", "HTML", "XML", "AWS", "SAP", "CRM", "ERP", "SEO", "SEM", "CEO", "CTO",
    "CFO", "COO", "CIO", "CPO", "HR", "IT", "AI", "ML", "UX", "UI", "QA", "PR", "PM", "PC", "TV",
    "USA", "UK", "EU", "UN", "US", "UAE", "GPS", "SMS", "PDF", "FAQ", "KPI", "ROI", "SLA", "NGO",
    "PhD", "MBA", "BSc", "MSc", "DSP", "SDK", "IDE", "CDI", "CDD", "RTT", "CPA", "ETL", "IOT",
    "VPN", "DNS", "SSO", "CAD", "CAM", "GIS", "EHS", "HSE", "B2B",
];

/// Ordinary words and places that companies are also named after.
pub(crate) static GENERIC: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    include_str!("generic_words.txt")
        .lines()
        .filter(|l| !l.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect()
});
