use super::{Look, TABLE, find, fold::fold, look};

#[track_caller]
fn check(country: &str, city: &str, near: (f64, f64)) {
    let found =
        find(country, None, city).unwrap_or_else(|| panic!("{city} in {country} is not found"));
    let far = (found.latitude - near.0).abs() > 0.1 || (found.longitude - near.1).abs() > 0.1;
    assert!(!far, "{city} in {country} is at {found:?}");
}

#[test]
fn spellings() {
    for city in ["Bangalore", "Bengaluru", "bengaluru"] {
        check("IN", city, (12.97, 77.59));
    }
    for city in ["Köln", "Cologne", "Koeln", "KOLN", "Ko\u{308}ln"] {
        check("DE", city, (50.93, 6.95));
    }
    for city in [
        "Paris",
        "PARIS 14ème arrondissement",
        "75014 Paris",
        "Paris 01",
        "Paris Cedex 12",
        "Paris (75)",
    ] {
        check("FR", city, (48.85, 2.35));
    }
    check("IN", "Gurgaon", (28.46, 77.03));
    check("BR", "Sao Paulo", (-23.55, -46.63));
    check("PL", "Krakow", (50.06, 19.94));
    check("MX", "Santiago de Queretaro", (20.59, -100.39));
    check("MX", "Mexico City", (19.43, -99.13));
    check("PH", "Taguig City", (14.52, 121.08));
    check("PH", "Mabalacat", (15.22, 120.57));
    check("NO", "Sørumsand", (59.99, 11.24));
    check("NO", "Sorumsand", (59.99, 11.24));
    check("NO", "Ulvik", (60.57, 6.91));
    check("FR", "Vélizy-Villacoublay", (48.78, 2.19));
    check("FR", "St-Denis", (48.94, 2.36));
    check("DK", "Århus", (56.16, 10.21));
    check("DK", "Aarhus C", (56.16, 10.21));
    check("JP", "東京", (35.69, 139.69));
    check("CZ", "Praha", (50.09, 14.42));
    check("US", "New York", (40.71, -74.01));
    check("US", "St. Louis", (38.63, -90.2));
}

#[test]
fn the_largest_of_a_name_unless_a_state_says_otherwise() {
    check("US", "Washington", (38.9, -77.04));
    check("US", "Washington, DC", (38.9, -77.04));
    check("US", "Portland", (45.52, -122.68));
    check("US", "Portland, ME", (43.66, -70.26));
    check("US", "Portland, Maine", (43.66, -70.26));
    check("CA", "London, Ontario", (42.98, -81.23));
    check("GB", "London", (51.51, -0.13));
    for region in ["ME", "US-ME", "Maine"] {
        let found = find("US", Some(region), "Portland").unwrap();
        assert!((found.latitude - 43.66).abs() < 0.1, "{region}");
    }
    assert!(find("DE", Some("Hessen"), "Frankfurt").is_some());
    assert_eq!(find("US", None, "San Francisco, Maine"), None);
}

#[test]
fn a_text_may_hold_no_place_or_several() {
    for text in [
        "Remote",
        "REMOTE - Germany",
        "3 Locations",
        "Anywhere",
        "National",
        "Multiple Locations",
        "Home Office",
        "n/a",
        "bundesweit",
        "EMEA",
        "12 Standorte",
        "Nationwide",
    ] {
        assert_eq!(look(Some("US"), None, text), Look::NoPlace, "{text}");
        assert_eq!(find("US", None, text), None, "{text}");
    }
    for (country, text) in [
        (
            "US",
            "Boston, MA; Remote-Friendly | San Francisco, CA | Seattle, WA",
        ),
        ("DE", "Leipzig, Dresden und Chemnitz"),
        ("DE", "Berlin / Hamburg"),
        ("DE", "Leipzig, Dresden, Chemnitz"),
        ("GB", "London or Manchester"),
        ("SE", "Stockholm, Göteborg"),
        ("SE", "Göteborg, Stockholm, Sverige"),
        ("NO", "Bergen,Stavanger"),
        ("DE", "Hamburg, München, Remote"),
        ("DE", "Köln - Leipzig"),
        ("DE", "Berlin • Dresden"),
        ("ES", "Madrid, Barcelona"),
        ("IT", "Milano, Roma"),
        ("CH", "Zürich, Basel"),
        ("PT", "Lisboa, Porto"),
        ("NL", "Amsterdam, Rotterdam"),
        ("US", "New York, Chicago"),
        ("JP", "Tokyo, Osaka"),
    ] {
        assert_eq!(look(Some(country), None, text), Look::Several, "{text}");
        assert_eq!(find(country, None, text), None, "{text}");
    }
    assert_eq!(look(None, None, "Oslo | Bergen"), Look::Several);
}

#[test]
fn a_city_with_its_region_or_district_is_one_place() {
    for (country, text) in [
        ("CH", "Biel/Bienne"),
        ("BE", "Bruxelles / Brussel"),
        ("ES", "Getafe, Madrid"),
        ("DE", "Region Hannover"),
        ("AU", "Sydney NSW 2000"),
        ("DE", "Berlin (Remote)"),
        ("DE", "Bremerhaven, Bremen"),
        ("DE", "Cottbus, Brandenburg, Deutschland"),
        ("DE", "München, Bayern"),
        ("DE", "Dresden, Neustadt"),
        ("ES", "Gandia, Valencia"),
        ("BR", "Campinas, São Paulo"),
        ("CH", "Interlaken, Bern"),
        ("IE", "Bantry, Cork"),
        ("AT", "Zell am See, Salzburg"),
        ("GB", "Swansea, Wales"),
        ("GB", "Croydon, London"),
        ("US", "Buffalo, New York"),
        ("US", "Boston, Massachusetts, United States"),
        ("JP", "Hachioji, Tokyo"),
    ] {
        let found = look(Some(country), None, text);
        assert!(matches!(found, Look::Found(_)), "{text}: {found:?}");
    }
}

#[test]
fn a_name_that_cities_share_is_ambiguous_without_a_region() {
    for (country, text) in [
        ("DE", "Neustadt"),
        ("DE", "Neustadt, Sachsen-Anhalt"),
        ("DE", "Rotenburg"),
        ("DE", "Kirchheim"),
        ("GB", "Newcastle"),
        ("GB", "Ashford"),
        ("FR", "Boulogne"),
        ("ES", "San Isidro"),
        ("IT", "San Pietro"),
        ("CH", "Buchs"),
        ("NO", "Sand"),
        ("US", "Springfield"),
    ] {
        assert_eq!(
            look(Some(country), None, text),
            Look::Ambiguous(None),
            "{text}"
        );
    }
    for (country, text) in [("US", "Portland"), ("GB", "Newport"), ("DE", "Mitte")] {
        let found = look(Some(country), None, text);
        assert!(
            matches!(found, Look::Ambiguous(Some(_))),
            "{text}: {found:?}"
        );
    }
    for (country, region, text) in [
        ("US", Some("ME"), "Portland"),
        ("US", None, "Springfield, MA"),
        ("US", None, "Washington"),
        ("DE", Some("Hessen"), "Neustadt"),
        ("DE", None, "Neustadt an der Weinstraße"),
        ("DE", None, "Frankfurt"),
        ("DE", None, "Halle"),
    ] {
        let found = look(Some(country), region, text);
        assert!(matches!(found, Look::Found(_)), "{text}: {found:?}");
    }
    assert_eq!(look(Some("DE"), None, "Hinterpfuideifi"), Look::Unknown);
}

#[test]
fn nothing_is_guessed() {
    assert_eq!(find("DE", None, "Bangalore"), None);
    assert_eq!(find("FI", None, "Uusimaa"), None);
    assert_eq!(find("XX", None, "Paris"), None);
    assert_eq!(find("FR", None, ""), None);
    assert_eq!(find("FR", None, "75014"), None);
    assert_eq!(find("FR", None, "Remote"), None);
    assert_eq!(find("", None, ""), None);
}

#[test]
fn the_table_is_whole_and_folded() {
    assert!(TABLE.len() > 200);
    assert!(
        TABLE
            .values()
            .map(std::collections::HashMap::len)
            .sum::<usize>()
            > 100_000
    );
    for (name, place) in TABLE.values().flatten() {
        assert_eq!(fold(name), *name);
        assert!((-90_000..=90_000).contains(&place.latitude));
        assert!((-180_000..=180_000).contains(&place.longitude));
    }
}
