use serde_json::{Value, json};
use uuid::Uuid;

const DESCRIPTION: &str = "<p>We are looking for a <strong>gardener</strong> who knows roses and \
    hedges. You will plan the beds of the year, care for the old trees, and show the \
    apprentices how it is done.</p><ul><li>Permanent contract</li><li>Thirty days of \
    leave</li></ul>";

pub fn fresh(prefix: &str) -> String {
    format!("{prefix}-{}", Uuid::new_v4().simple())
}

pub fn website() -> String {
    format!("https://{}.example", fresh("w"))
}

pub fn minimal() -> Value {
    json!({
        "title": "Gardener",
        "raw_description": DESCRIPTION,
        "application_url": "https://apply.example/gardener",
        "company": {"name": "Rosenhof", "website_url": website()},
    })
}

pub fn complete() -> Value {
    json!({
        "title": "Gardener (m/f/d)",
        "raw_description": DESCRIPTION,
        "employment_types": ["part-time", "full-time"],
        "location_types": ["on-site"],
        "location_country_code": "DE",
        "location_city": "Berlin",
        "salary_min": 30_000,
        "salary_max": 42_000,
        "salary_currency_code": "EUR",
        "salary_period": "annually",
        "application_email": "jobs@rosenhof.example",
        "application_url": "https://apply.example/gardener?ref=board",
        "metadata": {"source": "feed", "nested": {"list": [1, 2.5, null, true, "🌹"]}},
        "company": {"name": "Rosenhof", "website_url": website(), "logo_path": "logos/rose.png"},
    })
}
