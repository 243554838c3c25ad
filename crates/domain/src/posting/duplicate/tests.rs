use fields::codes::CountryCode;
use kernel::testing::identifier;
use kernel::testing::{hours, noon, uuid};

use super::*;

/// A signature with this many differing values.
fn signature(others: usize) -> MinHash {
    let mut values = [7; MinHash::LENGTH];
    values
        .iter_mut()
        .rev()
        .take(others)
        .for_each(|value| *value = 8);
    MinHash::new(values)
}

fn details(title: &str, city: Option<&str>, country: Option<&str>) -> Details {
    Details {
        title: title.to_owned(),
        location_city: city.map(str::to_owned),
        location_country_code: country.and_then(CountryCode::parse),
        ..Details::default()
    }
}

fn fingerprint(details: &Details, company: u128, others: usize) -> Fingerprint {
    Fingerprint::of(details, CompanyId::new(uuid(company)), signature(others))
}

fn is_near(one: &Fingerprint, other: &Fingerprint) -> bool {
    let dated = |it: &Fingerprint| DatedFingerprint::new(it.clone(), noon());
    dated(one).duplicates(&dated(other))
}

#[test]
fn company_title_and_place_agree() {
    let cook = details("Cook (m/f)", Some("Århus"), Some("DK"));
    let own = fingerprint(&cook, 1, 0);
    for (title, city, country, company, others, expect) in [
        ("Cook (m/f)", Some("Århus"), Some("DK"), 1, 0, true),
        ("COOK – m/f", Some(" århus"), Some("DK"), 1, 12, true),
        ("Cook (m/f)", Some("Århus"), Some("DK"), 1, 13, false),
        ("Cook (m/f)", Some("Århus"), Some("DK"), 2, 0, false),
        ("Cook 2 (m/f)", Some("Århus"), Some("DK"), 1, 0, false),
        ("Cook (m/f)", Some("Vejle"), Some("DK"), 1, 0, false),
        ("Cook (m/f)", None, Some("DK"), 1, 0, false),
        ("Cook", Some("Århus"), Some("DK"), 1, 0, true),
        ("Cook (m|w|d), ÅRHUS", Some("Århus"), Some("DK"), 1, 0, true),
        ("[JR-0014198] Cook", Some("Århus"), Some("DK"), 1, 0, true),
        ("Cook 2026", Some("Århus"), Some("DK"), 1, 0, false),
        ("Cook in C/C++", Some("Århus"), Some("DK"), 1, 0, false),
        ("Cook C/C++", Some("Århus"), Some("DK"), 1, 0, false),
        ("Cook man/woman", Some("Århus"), Some("DK"), 1, 0, false),
        ("Cook (m/f)", Some("Århus"), None, 1, 0, false),
    ] {
        let other = fingerprint(&details(title, city, country), company, others);
        assert_eq!(
            is_near(&own, &other),
            expect,
            "{title} {city:?} {country:?} {company}"
        );
    }
    let [city, other] = ["Cook", "Baker"].map(|city| details("Cook", Some(city), None));
    let [city, other] = [city, other].map(|it| fingerprint(&it, 1, 0));
    assert!(!is_near(&city, &other), "a title is never empty");
    let nowhere = fingerprint(&details("Cook", None, None), 1, 0);
    let other = fingerprint(&details("cook", None, None), 1, 0);
    assert!(is_near(&nowhere, &other));
    let [one, other] = [1, 2].map(|n| Fingerprint::unlike_any(PostingId::new(uuid(n))));
    assert!(is_near(&one, &one) && !is_near(&one, &other));
}

fn candidate(n: u128, since: i64, others: usize) -> Candidate {
    let fingerprint = fingerprint(&details("Cook", None, None), 1, others);
    Candidate {
        id: PostingId::new(uuid(n)),
        source_identifier: identifier(&format!("a-{n}")),
        version: 1,
        is_open: true,
        company: CompanyId::new(uuid(1)),
        offer: Offer::default(),
        created_by: None,
        duplicate_of: None,
        dated: DatedFingerprint::new(fingerprint, noon() + hours(since)),
    }
}

#[test]
fn the_oldest_open_posting_is_the_original_unless_marked_as_different() {
    let mut closed = candidate(1, 0, 0);
    closed.is_open = false;
    let unlike = candidate(2, 0, 40);
    let (four, three) = (candidate(4, 2, 0), candidate(3, 2, 0));
    let all = [
        closed.clone(),
        candidate(9, 1, 0),
        unlike,
        four,
        three,
        candidate(5, 3, 0),
    ];
    let found = |it: &Candidate, told: &HashSet<Apart>| {
        let original = it.original(&all, told);
        original.map(|it| it.source_identifier.to_string())
    };
    let nothing = HashSet::new();
    for (n, since, first, next) in [
        (99, 1, Some("a-9"), None),
        (2, 2, Some("a-9"), None),
        (4, 2, Some("a-9"), Some("a-3")),
        (1, 3, Some("a-9"), Some("a-3")),
        (8, 0, None, None),
        (9, 1, None, None),
    ] {
        let it = candidate(n, since, 0);
        let told = HashSet::from([apart(it.id, PostingId::new(uuid(9)))]);
        assert_eq!(found(&it, &nothing).as_deref(), first, "{n}");
        assert_eq!(found(&it, &told).as_deref(), next, "{n}");
    }
    let [low, high] = [1, 2].map(|n| PostingId::new(uuid(n)));
    assert_eq!([apart(low, high), apart(high, low)], [[low, high]; 2]);
    closed.dated.since = noon() + hours(9);
    assert_eq!(found(&closed, &nothing), None);
}

#[test]
fn numbers_in_titles_distinguish_openings() {
    for (title, other, expect) in [
        ("Cook R40641", "Cook (R40642)", false),
        ("Cook R40641", "Cook [r40641]", true),
        ("Cook R40641", "Cook", true),
    ] {
        let [older, younger] = [(1, title), (2, other)].map(|(n, title)| Candidate {
            offer: Offer::of(&details(title, None, None)),
            ..candidate(n, 0, 0)
        });
        assert_eq!(younger.duplicates(&older), expect, "{other}");
    }
}

#[test]
fn offers_distinguish_openings() {
    use EmploymentType::{FullTime, Internship, PartTime};
    let offer =
        |requisition: &str, employment: &[EmploymentType], pay: Option<[i64; 2]>, unit| Offer {
            requisition: Some(requisition.to_owned()).filter(|it| !it.is_empty()),
            title_number: None,
            employment: employment.to_vec(),
            pay,
            unit: (CurrencyCode::parse(unit), None),
        };
    let own = offer("R-1", &[FullTime], Some([30, 40]), "SEK");
    for (other, expect) in [
        (Offer::default(), true),
        (
            offer("", &[FullTime, PartTime], Some([40, 60]), "SEK"),
            true,
        ),
        (offer("", &[PartTime, Internship], None, "SEK"), false),
        (offer("", &[], Some([41, 60]), "SEK"), false),
        (offer("", &[], Some([10, 29]), "SEK"), false),
        (offer("", &[], Some([10, 30]), "SEK"), true),
        (offer("", &[], Some([41, 60]), "NOK"), true),
        (offer("R-2", &[FullTime], Some([30, 40]), "SEK"), false),
        // Equal numbers of the employer make them duplicates.
        (offer("R-1", &[PartTime], Some([41, 60]), "SEK"), true),
    ] {
        let older = Candidate {
            offer: own.clone(),
            ..candidate(1, 0, 0)
        };
        let younger = Candidate {
            offer: other.clone(),
            ..candidate(2, 1, 0)
        };
        assert_eq!(younger.duplicates(&older), expect, "{other:?}");
    }
    let older = Candidate {
        offer: own.clone(),
        ..candidate(1, 0, 0)
    };
    let unlike = Candidate {
        offer: own,
        ..candidate(2, 1, 40)
    };
    assert!(unlike.duplicates(&older), "one number, whatever the text");
    let elsewhere = Candidate {
        company: CompanyId::new(uuid(2)),
        ..unlike
    };
    assert!(!elsewhere.duplicates(&older));
}

#[test]
fn content_is_as_old_as_what_it_still_matches() {
    let at = |hour| noon() + hours(hour);
    let text = |others| fingerprint(&details("Cook", None, None), 1, others);
    let first = DatedFingerprint::new(text(0), at(0));
    let mended = first.followed_by(text(12), at(5));
    assert_eq!((mended.since, mended.first), (at(0), text(0).signature));
    assert_eq!(mended.fingerprint, text(12));
    let drifted = mended.followed_by(text(24), at(6));
    assert_eq!(drifted, DatedFingerprint::new(text(24), at(6)));
    let renamed = fingerprint(&details("Chef", None, None), 1, 0);
    assert_eq!(first.followed_by(renamed, at(5)).since, at(5));

    // A posting that matches only the later content is no duplicate.
    let mut older = candidate(1, 0, 0);
    let younger = candidate(2, 3, 13);
    older.dated = older.dated.followed_by(text(12), at(5));
    assert!(!younger.duplicates(&older) && !older.duplicates(&younger));
    assert!(candidate(2, 3, 12).duplicates(&older));
}
