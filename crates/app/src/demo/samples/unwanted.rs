//! Pushes that the service refuses, and postings that the enrichment rejects.

use serde_json::json;

use super::{Sample, sample};

pub fn samples() -> Vec<Sample> {
    let cobalt =
        json!({"name": "Cobalt Lantern Inc.", "website_url": "https://cobaltlantern.example"});
    let quillbrook =
        json!({"name": "Quillbrook Publishing", "website_url": "https://quillbrook.example/"});
    let lumenfold =
        json!({"name": "Lumenfold Robotics Ltd", "website_url": "https://www.lumenfold.example"});
    vec![
        // Refused: 422.
        sample(
            "no-way-to-apply",
            json!({
                "title": "Proofreader",
                "raw_description": "<p>Find the last misprint in a 900-page flora.</p>",
                "location_country_code": "IE",
                "location_city": "Dublin",
                "company": quillbrook
            }),
        ),
        sample(
            "salary-swapped",
            json!({
                "title": "Lighting designer",
                "raw_description": "<p>Draw with light, mostly after dark.</p>",
                "salary_min": 90_000,
                "salary_max": 60_000,
                "salary_currency_code": "CAD",
                "salary_period": "annually",
                "application_email": "crew@cobaltlantern.example",
                "company": cobalt
            }),
        ),
        sample(
            "unknown-currency",
            json!({
                "title": "Lamp tester",
                "raw_description": "<p>On. Off. On. Off. You get the idea.</p>",
                "salary_min": 3,
                "salary_currency_code": "XQZ",
                "application_email": "crew@cobaltlantern.example",
                "company": cobalt
            }),
        ),
        sample(
            "prohibited-field",
            json!({
                "title": "Illustrator who would like to be featured",
                "raw_description": "<p>Only the service decides about that.</p>",
                "is_featured": true,
                "application_email": "editors@quillbrook.example",
                "company": quillbrook
            }),
        ),
        // Accepted: 201, and later rejected.
        sample(
            "empty-text",
            json!({
                "title": "Mechanical engineer",
                "raw_description": "<div><p>&nbsp;</p><script>render('description')</script><br></div>",
                "location_country_code": "GB",
                "location_city": "Leeds",
                "application_email": "jobs@lumenfold.example",
                "company": lumenfold
            }),
        ),
        sample(
            "test-string",
            json!({
                "title": "test",
                "raw_description": "<p>test test test</p>",
                "application_email": "jobs@lumenfold.example",
                "company": lumenfold
            }),
        ),
        sample(
            "links-only",
            json!({
                "title": "Wardrobe assistant",
                "raw_description": "<p><a href=\"https://cobaltlantern.example/jobs/wardrobe\">https://cobaltlantern.example/jobs/wardrobe</a></p><p>www.cobaltlantern.example</p>",
                "location_country_code": "CA",
                "location_city": "Toronto",
                "application_url": "https://cobaltlantern.example/jobs/wardrobe",
                "company": cobalt
            }),
        ),
    ]
}
