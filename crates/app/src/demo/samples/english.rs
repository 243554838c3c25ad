//! Postings in English.

use serde_json::json;

use super::{Sample, sample};

#[expect(clippy::too_many_lines, reason = "a list")]
pub fn samples() -> Vec<Sample> {
    let lumenfold = json!({
        "name": "Lumenfold Robotics Ltd",
        "website_url": "https://www.lumenfold.example",
        "logo_path": "logos/lumenfold.svg"
    });
    let cobalt =
        json!({"name": "Cobalt Lantern Inc.", "website_url": "https://cobaltlantern.example"});
    let quillbrook =
        json!({"name": "Quillbrook Publishing", "website_url": "https://quillbrook.example/"});
    let storwins =
        json!({"name": "St Orwin's Hospital", "website_url": "https://storwins.example"});
    vec![
        sample(
            super::REDACTED,
            json!({
                "title": "Senior Rust engineer, motion control",
                "raw_description": r#"
<h2>About Lumenfold</h2>
<p>Lumenfold Robotics builds arms that <strong>fold laundry</strong>. We are 40 people in Leeds.</p>
<h2>What you will do</h2>
<ul>
  <li>write the control loop in Rust, from the encoder to the planner</li>
  <li>measure latency, then remove it
    <ul><li>on the bench</li><li>and in forty laundrettes</li></ul>
  </li>
  <li>review designs with the hardware team at Lumenfold</li>
</ul>
<h2>How to apply</h2>
<p>Write to <a href="mailto:jobs@lumenfold.example">jobs@lumenfold.example</a>, call
0113 496 0123, or see <a href="https://www.lumenfold.example/careers">our careers page</a>.</p>"#,
                "employment_types": ["full-time"],
                "location_types": ["hybrid"],
                "location_country_code": "GB",
                "location_city": "Leeds",
                "salary_min": 65_000,
                "salary_max": 82_000,
                "salary_currency_code": "GBP",
                "salary_period": "annually",
                "application_email": "jobs@lumenfold.example",
                "application_url": "https://www.lumenfold.example/careers/17",
                "metadata": {"source": "careers page", "team": "motion"},
                "company": lumenfold
            }),
        ),
        sample(
            "lumenfold-18",
            json!({
                "title": "Electronics intern",
                "raw_description": "A summer with our hardware team.\n\nYou will:\n\n* solder prototypes\n* write test scripts in Python\n* keep the lab notebook\n\n**You study** electronics or physics. No experience needed.\n\nQuestions? Ring 07700 900461 or visit www.lumenfold.example.",
                "employment_types": ["internship"],
                "location_types": ["on-site"],
                "location_country_code": "gb",
                "location_city": "Leeds",
                "salary_min": 480,
                "salary_currency_code": "GBP",
                "salary_period": "weekly",
                "application_email": "interns@lumenfold.example",
                "company": lumenfold
            }),
        ),
        sample(
            "harbourpine-3",
            json!({
                "title": "Furniture maker",
                "raw_description": "<p>Harbour &amp; Pine makes tables &amp; chairs that outlive their owners.</p><p>You work with hand tools and a five-axis router, mostly in oak &mdash; &ldquo;no veneer&rdquo; is painted over the door.</p><ol><li>Read drawings.</li><li>Choose boards.</li><li>Sign your work.</li></ol>",
                "employment_types": ["full-time", "part-time"],
                "location_types": ["on-site"],
                "location_country_code": "GB",
                "location_city": "Edinburgh",
                "salary_min": 31_000,
                "salary_max": 38_000,
                "salary_currency_code": "GBP",
                "salary_period": "annually",
                "application_url": "https://harbourandpine.example/work-with-us",
                "company": {
                    "name": "Harbour & Pine",
                    "website_url": "HTTPS://HarbourAndPine.example:443/"
                }
            }),
        ),
        sample(
            "harbourpine-4",
            json!({
                "title": "Delivery driver, weekends",
                "raw_description": "Two people, one van, six sofas a day.\n\nYou need a clean licence and a strong back. We pay for both parking fines and physiotherapy, though so far nobody has needed either.\n\nCall Morag on 0131 496 0077.",
                "employment_types": ["part-time"],
                "location_types": ["on-site"],
                "location_country_code": "GB",
                "location_city": "Edinburgh",
                "salary_min": 14,
                "salary_currency_code": "GBP",
                "salary_period": "hourly",
                "application_email": "vans@harbourandpine.example",
                "company": {
                    "name": "Harbour & Pine",
                    "website_url": "https://harbourandpine.example"
                }
            }),
        ),
        sample(
            "cobalt:backend",
            json!({
                "title": "Backend developer (remote)",
                "raw_description": "&lt;p&gt;Cobalt Lantern sells lamps to theatres, and the software that dims them.&lt;/p&gt;&lt;p&gt;&lt;b&gt;Stack&lt;/b&gt;: Postgres, TypeScript, a little Go.&lt;/p&gt;&lt;ul&gt;&lt;li&gt;four-day week&lt;/li&gt;&lt;li&gt;no on-call&lt;/li&gt;&lt;/ul&gt;&lt;p&gt;Apply at &lt;a href=\"https://cobaltlantern.example/jobs\"&gt;cobaltlantern.example/jobs&lt;/a&gt;.&lt;/p&gt;",
                "employment_types": ["full-time", "contract"],
                "location_types": ["remote"],
                "location_country_code": "CA",
                "salary_min": 105_000,
                "salary_max": 130_000,
                "salary_currency_code": "CAD",
                "salary_period": "annually",
                "application_url": "https://cobaltlantern.example/jobs/backend",
                "company": cobalt
            }),
        ),
        sample(
            "cobalt:rigger",
            json!({
                "title": "Stage rigger",
                "raw_description": "<h1>Stage rigger</h1><table><tr><th>Show</th><th>Dates</th></tr><tr><td>The Tempest</td><td>3&ndash;28 March</td></tr><tr><td>Cabaret Bleu</td><td>9 April &ndash; 2 May</td></tr></table><p>Call sheets come by text message. Reach the shop at (416) 555-0142.</p>",
                "employment_types": ["contract"],
                "location_types": ["on-site"],
                "location_country_code": "CA",
                "location_city": "Toronto",
                "salary_min": 38,
                "salary_max": 45,
                "salary_currency_code": "CAD",
                "salary_period": "hourly",
                "application_email": "crew@cobaltlantern.example",
                "company": cobalt
            }),
        ),
        sample(
            "quillbrook-editor",
            json!({
                "title": "Commissioning editor, natural history",
                "raw_description": "<p>Do you read field guides for the plot?</p><p>Quillbrook Publishing looks for an editor who</p><ul><li>finds authors, and keeps them</li><li>knows a <em>Carex</em> from a <em>Juncus</em></li><li>can say no kindly</li></ul><blockquote>“The best-kept secret on the Liffey.”</blockquote>",
                "employment_types": ["full-time"],
                "location_types": ["hybrid", "on-site"],
                "location_country_code": "IE",
                "location_city": "Dublin",
                "salary_min": 48_000,
                "salary_currency_code": "EUR",
                "salary_period": "annually",
                "application_email": "editors@quillbrook.example",
                "company": quillbrook
            }),
        ),
        sample(
            "storwins/1",
            json!({
                "title": "Ward nurse, paediatrics",
                "raw_description": "<div><p style=\"color:#333\">St Orwin's Hospital needs a nurse for its <span>children&#39;s ward</span>.</p><h3>Shifts</h3><p>Early, late and one weekend in three.</p><h3>Benefits</h3><p>Pension &bull; 27 days&rsquo; leave &bull; a canteen worth staying for</p><script>track('view')</script></div>",
                "employment_types": ["full-time", "part-time"],
                "location_types": ["on-site"],
                "location_country_code": "GB",
                "location_city": "Cardiff",
                "salary_min": 2_900,
                "salary_max": 3_400,
                "salary_currency_code": "GBP",
                "salary_period": "monthly",
                "application_url": "https://storwins.example/vacancies/ward-nurse",
                "company": storwins
            }),
        ),
        sample(
            "storwins/2",
            json!({
                "title": "Hospital porter, nights",
                "raw_description": "<p>Move people gently and beds quickly, ten at night to six in the morning.</p>",
                "employment_types": ["full-time"],
                "location_types": ["on-site"],
                "location_country_code": "GB",
                "location_city": "Cardiff",
                "application_email": "people@storwins.example",
                "company": storwins
            }),
        ),
        sample(
            "kestrel-meadow-7",
            json!({
                "title": "Herd manager, organic dairy",
                "raw_description": "# Herd manager\n\nKestrel Meadow keeps **180 Jerseys** on grass.\n\n## The job\n\n1. milking, with two others\n2. calving, day and night in spring\n3. the books\n\nA three-bedroom house comes with it. Ring (503) 555-0187, or write to farm@kestrelmeadow.example.",
                "employment_types": ["full-time"],
                "location_types": ["on-site", "other"],
                "location_country_code": "US",
                "location_city": "Portland",
                "salary_min": 4_800,
                "salary_currency_code": "USD",
                "salary_period": "monthly",
                "application_email": "farm@kestrelmeadow.example",
                "company": {
                    "name": "Kestrel Meadow Farms",
                    "website_url": "http://kestrelmeadow.example/jobs/../"
                }
            }),
        ),
    ]
}
