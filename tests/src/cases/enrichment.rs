use serde_json::Value;
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

use crate::harness::{
    App, Store, complete, fresh,
    import::{IMPORTS, import},
};

on_sqlite! {
    a_good_posting_is_approved_with_its_texts_and_place,
    the_demos_postings_are_json_ld_with_and_without_the_employer,
}

async fn a_good_posting_is_approved_with_its_texts_and_place(store: Store) {
    let app = App::served(store);
    let id = fresh("good");
    app.put(&id, &complete()).await.created();
    let posting = app.api.until(&id, "approved").await;

    let markdown = posting["markdown_description"].as_str().unwrap();
    assert!(markdown.contains("**gardener**"), "{markdown}");
    assert!(
        markdown.contains("Thirty days of leave") && !markdown.contains('<'),
        "{markdown}"
    );
    assert!(
        posting["markdown_redacted_description"]
            .as_str()
            .unwrap()
            .contains("gardener")
    );
    let (latitude, longitude) = (
        posting["latitude"].as_f64().unwrap(),
        posting["longitude"].as_f64().unwrap(),
    );
    assert!(
        (latitude - 52.5).abs() < 0.5 && (longitude - 13.4).abs() < 0.5,
        "{posting}"
    );

    let time = |key: &str| OffsetDateTime::parse(posting[key].as_str().unwrap(), &Rfc3339).unwrap();
    assert_eq!(time("expire_at") - time("published_at"), Duration::days(60));
    assert_eq!(posting["status_reason"], Value::Null);
    let history = posting["history"].as_array().unwrap();
    assert_eq!(history.len(), 2, "{posting}");
    assert_eq!(history[1]["status"], "approved");
    assert_eq!(history[1]["by"], "enricher");
    assert_eq!(history[1]["at"], posting["published_at"]);
}

async fn the_demos_postings_are_json_ld_with_and_without_the_employer(store: Store) {
    const SAMPLES: &str = include_str!("../../../crates/app/src/demo/samples.ndjson");
    let app = App::served(store);
    import(&app.api, IMPORTS, SAMPLES).await.complete();
    app.settled().await;
    let list = async |query: &str| {
        let export = app.api.get(&format!("/api/job-board/export?{query}")).await;
        let lines = export.body.lines();
        let lines = lines.map(|line| serde_json::from_str(line).unwrap());
        lines.collect::<Vec<Value>>()
    };
    let approved = list("status=approved").await;
    let hidden = list("form=jsonld").await;
    let shown = list("form=jsonld&identity=shown").await;
    assert!(approved.len() > 20, "{}", approved.len());
    assert_eq!(
        (hidden.len(), shown.len()),
        (approved.len(), approved.len())
    );
    for ((posting, hidden), shown) in approved.iter().zip(&hidden).zip(&shown) {
        assert_eq!(hidden["identifier"]["value"], posting["uuid"]);
        assert_eq!(
            shown["identifier"]["value"],
            posting["unique_source_identifier"]
        );
        assert_eq!(
            shown["hiringOrganization"]["sameAs"],
            posting["company"]["website_url"]
        );
        for job in [hidden, shown] {
            assert_eq!(job["datePosted"], posting["published_at"]);
            assert!(
                job["description"].as_str().unwrap().starts_with('<'),
                "{job}"
            );
        }
        let host = posting["company"]["website_url"].as_str().unwrap();
        let host = host
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap()
            .trim_start_matches("www.");
        let company = &posting["company"];
        let identity = [
            &company["name"],
            &company["logo_path"],
            &posting["application_email"],
            &posting["application_url"],
            &posting["unique_source_identifier"],
        ];
        let identity = identity.into_iter().filter_map(Value::as_str);
        let document = hidden.to_string().to_lowercase();
        for identity in identity.chain([host]) {
            assert!(
                !document.contains(&identity.to_lowercase()),
                "{identity} in {hidden}"
            );
        }
    }
}
