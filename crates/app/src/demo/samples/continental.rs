//! Postings in French and German.

use serde_json::json;

use super::{Sample, sample};

#[expect(clippy::too_many_lines, reason = "a list")]
pub fn samples() -> Vec<Sample> {
    let corvin =
        json!({"name": "Ateliers Corvin SAS", "website_url": "https://ateliers-corvin.example"});
    let nordlicht = json!({
        "name": "Nordlicht Energie GmbH",
        "website_url": "https://nordlicht-energie.example",
        "logo_path": "/static/logo.png"
    });
    let sommerfeld =
        json!({"name": "Bäckerei Sommerfeld", "website_url": "https://sommerfeld.example"});
    vec![
        sample(
            "corvin-2201",
            json!({
                "title": "Horloger-rhabilleur (H/F)",
                "raw_description": "<h2>L&#8217;atelier</h2><p>Les Ateliers Corvin restaurent des pendules anciennes depuis trois g&eacute;n&eacute;rations.</p><h2>Vos missions</h2><ul><li>diagnostiquer et d&eacute;monter les mouvements</li><li>refaire les pi&egrave;ces manquantes</li><li>conseiller les collectionneurs</li></ul><p>Envoyez votre candidature &agrave; emploi@ateliers-corvin.example ou appelez le 04 65 71 12 34.</p>",
                "employment_types": ["full-time"],
                "location_types": ["on-site"],
                "location_country_code": "FR",
                "location_city": "Lyon",
                "salary_min": 2_400,
                "salary_max": 2_900,
                "salary_currency_code": "EUR",
                "salary_period": "monthly",
                "application_email": "emploi@ateliers-corvin.example",
                "company": corvin
            }),
        ),
        sample(
            "corvin-2202",
            json!({
                "title": "Alternance : chargé·e de communication",
                "raw_description": "Nous cherchons un·e alternant·e pour raconter nos restaurations.\n\nAu programme :\n- photographier les pièces, avant et après ;\n- écrire la lettre mensuelle ;\n- tenir le stand au salon de Besançon.\n\nRythme : trois jours en entreprise, deux à l'école.",
                "employment_types": ["internship", "part-time"],
                "location_types": ["hybrid"],
                "location_country_code": "FR",
                "location_city": "Lyon",
                "application_url": "https://ateliers-corvin.example/rejoindre?poste=2202",
                "company": corvin
            }),
        ),
        sample(
            "vieux-port/3",
            json!({
                "title": "Boulanger, tourage et fournées de nuit",
                "raw_description": "<p>Au <b>Fournil du Vieux-Port</b>, tout se fait sur place.</p><table><tr><th>Jour</th><th>Horaire</th></tr><tr><td>Mardi &agrave; samedi</td><td>2 h &ndash; 9 h</td></tr><tr><td>Dimanche</td><td>repos</td></tr></table><p>T&eacute;l. 04 65 71 98 76</p>",
                "employment_types": ["full-time"],
                "location_types": ["on-site"],
                "location_country_code": "FR",
                "location_city": "Marseille",
                "salary_min": 15,
                "salary_max": 17,
                "salary_currency_code": "EUR",
                "salary_period": "hourly",
                "application_email": "bonjour@vieuxport.example",
                "company": {
                    "name": "Fournil du Vieux-Port",
                    "website_url": "https://vieuxport.example"
                }
            }),
        ),
        sample(
            "nordlicht-4410",
            json!({
                "title": "Servicetechniker Windkraft (m/w/d)",
                "raw_description": "<h2>Deine Aufgaben</h2><ul><li>Wartung und Entst&ouml;rung in 120&nbsp;m H&ouml;he</li><li>Austausch von Getrieben und Umrichtern</li><li>Dokumentation auf dem Tablet</li></ul><h2>Das bringst du mit</h2><ul><li>Ausbildung in Mechatronik oder Elektrotechnik</li><li>F&uuml;hrerschein Klasse B</li></ul><p>Bewirb dich bei der Nordlicht Energie GmbH, Telefon 040&nbsp;66969-123, <a href=\"https://nordlicht-energie.example/karriere\">nordlicht-energie.example/karriere</a>.</p>",
                "employment_types": ["full-time"],
                "location_types": ["on-site", "other"],
                "location_country_code": "DE",
                "location_city": "Hamburg",
                "salary_min": 46_000,
                "salary_max": 58_000,
                "salary_currency_code": "EUR",
                "salary_period": "annually",
                "application_url": "https://nordlicht-energie.example/karriere/4410",
                "company": nordlicht
            }),
        ),
        sample(
            "nordlicht-4411",
            json!({
                "title": "Datenanalystin Lastprognose (w/m/d)",
                "raw_description": "## Wofür wir dich brauchen\n\nDu sagst voraus, **wie viel Strom morgen fließt**.\n\n- Zeitreihen aus 300 Anlagen\n- Python, ein wenig SQL\n- Berichte, die auch der Vertrieb versteht\n\n## Wo\n\nWo du willst. Zweimal im Jahr treffen wir uns in Hamburg.",
                "employment_types": ["full-time", "part-time"],
                "location_types": ["remote"],
                "location_country_code": "DE",
                "salary_min": 62_000,
                "salary_currency_code": "EUR",
                "salary_period": "annually",
                "application_email": "bewerbung@nordlicht-energie.example",
                "company": nordlicht
            }),
        ),
        sample(
            "sommerfeld bäcker",
            json!({
                "title": "Bäckergeselle (m/w/d) für unsere Backstube",
                "raw_description": "Wir backen seit 1911 mit Sauerteig und ohne Eile.\n\nDu kannst Brötchen schleifen, Stollen wickeln und früh aufstehen? Dann komm vorbei oder ruf an: 030 23125 042.\n\nProbearbeiten wird bezahlt.",
                "employment_types": ["full-time"],
                "location_types": ["on-site"],
                "location_country_code": "DE",
                "location_city": "Leipzig",
                "salary_min": 16,
                "salary_currency_code": "EUR",
                "salary_period": "hourly",
                "application_email": "backstube@sommerfeld.example",
                "company": sommerfeld
            }),
        ),
        sample(
            "alpenblick-koch",
            json!({
                "title": "Küchenchef:in für die Sommersaison",
                "raw_description": "&lt;h2&gt;Hotel Alpenblick&lt;/h2&gt;&lt;p&gt;Regionale K&amp;uuml;che auf 1800 Metern, vier Leute im Team, Zimmer und Verpflegung frei.&lt;/p&gt;&lt;p&gt;Juni bis September, danach kennst du jeden Senner.&lt;/p&gt;",
                "employment_types": ["contract"],
                "location_types": ["on-site"],
                "location_country_code": "AT",
                "location_city": "Innsbruck",
                "salary_min": 3_600,
                "salary_max": 4_200,
                "salary_currency_code": "EUR",
                "salary_period": "monthly",
                "application_email": "kueche@alpenblick.example",
                "company": {"name": "Hotel Alpenblick", "website_url": "https://alpenblick.example"}
            }),
        ),
    ]
}
