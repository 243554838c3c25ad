//! Postings in Norwegian and Swedish.

use serde_json::json;

use super::{Sample, sample};

#[expect(clippy::too_many_lines, reason = "a list")]
pub fn samples() -> Vec<Sample> {
    let fjordbruk = json!({"name": "Fjordbruk AS", "website_url": "https://fjordbruk.example"});
    let tindra = json!({"name": "Tindra Media AB", "website_url": "https://tindra.example"});
    vec![
        sample(
            "fjordbruk-101",
            json!({
                "title": "Driftsleder til lakseanlegg",
                "raw_description": "<h3>Om stillingen</h3><p>Fjordbruk AS driver tre anlegg i Hordaland. Du f&aring;r ansvar for f&ocirc;ring, fiskehelse og &aring;tte medarbeidere.</p><h3>Vi s&oslash;ker deg som</h3><ul><li>har fagbrev i akvakultur</li><li>trives ute i all slags v&aelig;r</li><li>har b&aring;tf&oslash;rerbevis</li></ul><p>Sp&oslash;rsm&aring;l? Skriv til jobb@fjordbruk.example.</p>",
                "employment_types": ["full-time"],
                "location_types": ["on-site"],
                "location_country_code": "NO",
                "location_city": "Bergen",
                "salary_min": 620_000,
                "salary_max": 700_000,
                "salary_currency_code": "NOK",
                "salary_period": "annually",
                "application_email": "jobb@fjordbruk.example",
                "company": fjordbruk
            }),
        ),
        sample(
            "fjordbruk-102",
            json!({
                "title": "Marinbiolog, deltid",
                "raw_description": "Vi trenger en marinbiolog to dager i uken.\n\nOppgaver:\n\n* prøvetaking ved anleggene\n* rapporter til tilsynet\n* opplæring av kolleger\n\nArbeidssted er Bergen, men rapportene kan du skrive hjemme. Se www.fjordbruk.example/jobb.",
                "employment_types": ["part-time"],
                "location_types": ["hybrid"],
                "location_country_code": "NO",
                "location_city": "Bergen",
                "application_url": "https://fjordbruk.example/jobb/102",
                "company": fjordbruk
            }),
        ),
        sample(
            "nordlys-barnehage",
            json!({
                "title": "Barnehagelærer",
                "raw_description": "<p>Nordlys friluftsbarnehage har 48 barn, to lavvoer og ingen plastleker.</p><p>Du er utdannet barnehagel&aelig;rer, og du vet hvor ullsokkene ligger.</p>",
                "employment_types": ["full-time"],
                "location_types": ["on-site"],
                "location_country_code": "NO",
                "location_city": "Tromsø",
                "salary_min": 43_000,
                "salary_currency_code": "NOK",
                "salary_period": "monthly",
                "application_email": "post@nordlys-barnehage.example",
                "company": {
                    "name": "Nordlys friluftsbarnehage",
                    "website_url": "https://nordlys-barnehage.example"
                }
            }),
        ),
        sample(
            "tindra-7",
            json!({
                "title": "Ljudtekniker till poddstudio",
                "raw_description": "<p>Tindra Media spelar in <strong>tolv poddar i veckan</strong> på Södermalm.</p><h2>Du gör</h2><ul><li>inspelning och mixning</li><li>enklare ljuddesign</li><li>kaffe (alla gör kaffe)</li></ul><h2>Ansökan</h2><p>Ring 08-465 004 21 eller läs mer på <a href=\"https://tindra.example/jobb\">tindra.example</a>.</p>",
                "employment_types": ["full-time"],
                "location_types": ["on-site"],
                "location_country_code": "SE",
                "location_city": "Stockholm",
                "salary_min": 34_000,
                "salary_max": 39_000,
                "salary_currency_code": "SEK",
                "salary_period": "monthly",
                "application_url": "https://tindra.example/jobb/7",
                "company": tindra
            }),
        ),
        sample(
            "tindra-8",
            json!({
                "title": "Frilansande manusförfattare",
                "raw_description": "Skriv barnradio åt oss!\n\n**Omfattning:** sex avsnitt under våren, arvode per vecka.\n\n**Krav:** du har fått barn att skratta förut.\n\nProvtext skickas till manus@tindra.example.",
                "employment_types": ["contract"],
                "location_types": ["remote"],
                "location_country_code": "SE",
                "salary_min": 11_500,
                "salary_currency_code": "SEK",
                "salary_period": "weekly",
                "application_email": "manus@tindra.example",
                "company": tindra
            }),
        ),
        sample(
            "skargarden-1",
            json!({
                "title": "Båtbyggare",
                "raw_description": "<p>Vi bygger klinkbyggda tr&auml;b&aring;tar p&aring; Orust och i G&ouml;teborg.</p><p>Du har ges&auml;llbrev eller motsvarande, och kan basa bord i kan hantera en &aring;ngbastub&aring;daaring;nglkan hantera en &aring;ngbastub&aring;daaring;da.</p><p>Telefon: 031-390 06 17</p>",
                "employment_types": ["full-time"],
                "location_types": ["on-site"],
                "location_country_code": "SE",
                "location_city": "Göteborg",
                "salary_min": 190,
                "salary_max": 230,
                "salary_currency_code": "SEK",
                "salary_period": "hourly",
                "application_email": "varvet@skargardsbatar.example",
                "company": {
                    "name": "Skärgårdsbåtar i Väst",
                    "website_url": "https://skargardsbatar.example"
                }
            }),
        ),
    ]
}
