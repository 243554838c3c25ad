use domain::posting::{Details, Remark};
use serde_json::{Value, json};
use time::macros::datetime;

use crate::remarks::remarks;

/// The remarks on a posting with these fields and this text.
fn made(fields: Value, text: &str) -> Vec<Remark> {
    let mut details = serde_json::to_value(Details::default()).unwrap();
    let usual = json!({"location_country_code": "DE", "location_city": "Berlin"});
    for set in [usual, fields] {
        for (name, value) in set.as_object().unwrap() {
            details[name] = value.clone();
        }
    }
    let details: Details = serde_json::from_value(details).unwrap();
    remarks(&details, text, datetime!(2026-03-01 12:00 UTC))
}

/// The codes and fields of these remarks.
fn codes(fields: Value, text: &str) -> Vec<String> {
    let found = made(fields, text).into_iter().map(|remark| {
        assert!(remark.sentence.ends_with('.'), "{}", remark.sentence);
        format!("{} {}", remark.code, remark.field)
    });
    found.collect()
}

#[track_caller]
fn check(fields: &Value, text: &str, expect: &[&str]) {
    assert_eq!(codes(fields.clone(), text), expect, "{fields} {text}");
}

fn pay(min: i64, max: i64, currency: Option<&str>, period: &str) -> Value {
    json!({"salary_min": min, "salary_max": max, "salary_currency_code": currency,
        "salary_period": period})
}

#[test]
fn implausible_pay_is_compared_with_a_source() {
    let found = made(pay(45, 60, Some("GBP"), "annually"), "");
    let expect = "45 GBP annually is implausible: full-time pay averages about 45000 GBP annually \
                  (OECD, 2022).";
    assert_eq!(found[0].sentence, expect);
}

#[test]
fn pay_is_plausible_in_its_period_and_currency() {
    let eur = Some("EUR");
    for (min, max, currency, period) in [
        (120, 150_000, eur, "annually"),
        (2_550, 3_000, eur, "hourly"),
        (4_500_000, 4_500_000, Some("USD"), "monthly"),
        (45, 60, Some("GBP"), "annually"),
        (0, 0, eur, "monthly"),
        (15, 20, Some("JPY"), "hourly"),
    ] {
        let found = codes(pay(min, max, currency, period), "");
        assert!(
            found[0].starts_with("pay_implausible"),
            "{min} {period}: {found:?}"
        );
    }
    for (min, max, currency, period) in [
        (14, 20, eur, "hourly"),
        (2_800, 3_400, eur, "monthly"),
        (450, 450, eur, "monthly"),
        (480_000, 560_000, Some("NOK"), "annually"),
        (1_100, 1_500, Some("JPY"), "hourly"),
        (60_000, 250_000, Some("USD"), "annually"),
        (5, 6, Some("XAU"), "annually"),
    ] {
        check(&pay(min, max, currency, period), "", &[]);
    }
    let wide = pay(10, 60, eur, "hourly");
    check(&wide, "", &["pay_range_wide salary_max"]);
    let bare = pay(10, 20, None, "hourly");
    check(&bare, "", &["pay_without_currency salary_currency_code"]);
}

#[test]
fn the_text_names_the_pay_of_the_fields() {
    let month = || pay(3_000, 3_500, Some("EUR"), "monthly");
    for text in [
        "Gehalt: 3.200 € brutto",
        "€ 38.000 a year",
        "Salary 36k - 42k EUR",
        "You pay €500 for nothing; salary 3.100,50 EUR per month",
        "Revenue of € 5",
        "Nothing",
    ] {
        check(&month(), text, &[]);
    }
    for text in [
        "Gehalt: 5.200 € brutto im Monat",
        "Salary: EUR 90,000 a year",
    ] {
        check(&month(), text, &["pay_contradicted salary_min"]);
    }
}

#[test]
fn places_are_places() {
    for (city, expect) in [
        ("Remote", &["no_place location_city"][..]),
        ("3 Locations", &["no_place location_city"]),
        ("Germany", &["no_place location_city"]),
        (
            "Leipzig, Dresden und Chemnitz",
            &["several_places location_city"],
        ),
        ("Hinterpfuideifi", &["place_unknown location_city"]),
        ("Region Hannover", &[]),
    ] {
        check(&json!({"location_city": city}), "", expect);
    }
    let american = json!({"location_city": "Portland", "location_country_code": "US"});
    check(&american, "", &["place_ambiguous location_city"]);
    let several =
        json!({"locations": [{"city": "Oslo", "country_code": "NO"}, {"city": "Anywhere"}]});
    check(&several, "", &["no_place locations.1.city"]);
    let incomplete = ["google_incomplete location_country_code"];
    for types in [json!(["remote"]), json!([])] {
        let fields = json!({"location_country_code": null, "location_types": types});
        check(&fields, "", &incomplete);
    }
}

#[test]
fn the_text_agrees_with_the_fields_and_is_whole() {
    let types = |types: &[&str]| json!({ "location_types": types });
    let contradicted = &["remote_contradicted location_types"][..];
    for (fields, text, expect) in [
        (
            types(&["remote"]),
            "This position is 100 % on-site.",
            contradicted,
        ),
        (types(&["on-site"]), "We are fully remote.", contradicted),
        (types(&["hybrid", "on-site"]), "Fully remote in summer", &[]),
        (types(&["remote"]), "Fully remote", &[]),
        (
            json!({}),
            "Bewerbungsfrist: 28.02.2026",
            &["closing_date_passed raw_description"],
        ),
        (json!({}), "Apply by March 31, 2026", &[]),
        (
            json!({}),
            "We bake &lt;b&gt;bread",
            &["text_encoded raw_description"],
        ),
        (json!({}), "KÃ¶ln", &["text_garbled raw_description"]),
        (
            json!({}),
            "You bake bread and …",
            &["text_teaser raw_description"],
        ),
    ] {
        check(&fields, text, expect);
    }
    let long = format!("{} …", "bread ".repeat(100));
    check(&json!({}), &long, &[]);
}
