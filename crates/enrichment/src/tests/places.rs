//! Texts that people write into the field of a city.

use domain::posting::RemarkCode;
use fields::codes::CountryCode;

use super::{SOURCE, by_rules, input};

/// A country, the text of a city's field, and coordinates.
type Input = (&'static str, &'static str, Option<(f64, f64)>);

/// The inputs, with coordinates if the text names one known place. A common name means its largest
/// place, if that is by far the largest.
const INPUTS: [Input; 74] = [
    (
        "US",
        "Boston, MA; Remote-Friendly | San Francisco, CA | Seattle, WA",
        None,
    ),
    ("US", "3 Locations", None),
    ("DE", "Remote", None),
    ("DE", "remote (EU)", None),
    ("DE", "100% Remote", None),
    ("DE", "Remote, Germany", None),
    ("US", "Remote - US", None),
    ("US", "Remote, USA", None),
    ("US", "Fully remote", None),
    ("US", "Anywhere", None),
    ("US", "Anywhere in the US", None),
    ("US", "Worldwide", None),
    ("US", "National", None),
    ("US", "Nationwide", None),
    ("DE", "bundesweit", None),
    ("DE", "deutschlandweit", None),
    ("DE", "Homeoffice", None),
    ("DE", "Home office", None),
    ("GB", "Work from home", None),
    ("GB", "Hybrid", None),
    ("GB", "Various locations", None),
    ("GB", "Multiple locations", None),
    ("GB", "Various", None),
    ("GB", "Flexible", None),
    ("GB", "TBD", None),
    ("GB", "n/a", None),
    ("GB", "Field based", None),
    ("GB", "United Kingdom", None),
    ("US", "United States", None),
    ("US", "USA", None),
    ("DE", "Germany", None),
    ("DE", "Deutschland", None),
    ("DE", "Europe", None),
    ("DE", "EMEA", None),
    ("DE", "DACH", None),
    ("FR", "Télétravail", None),
    ("FR", "France entière", None),
    ("NO", "Hele landet", None),
    ("SE", "Distans", None),
    ("DE", "See description", None),
    ("DE", "Leipzig, Dresden und Chemnitz", None),
    ("DE", "Berlin / Hamburg", None),
    ("DE", "Berlin/München/Köln", None),
    ("DE", "Berlin oder Hamburg", None),
    ("NO", "Oslo or Bergen", None),
    ("NO", "Oslo, Bergen, Trondheim", None),
    ("FR", "Paris & Lyon", None),
    ("GB", "London and Manchester", None),
    ("AT", "Wien, Graz, Linz", None),
    ("DE", "Berlin; Potsdam", None),
    ("US", "New York | Chicago", None),
    ("DE", "Hinterpfuideifi", None),
    ("DE", "Building 7, Campus West", None),
    ("DE", "HQ", None),
    ("SE", "Stockholm, Göteborg", None),
    ("SE", "Malmö, Uppsala, Sverige", None),
    ("DE", "Hamburg – München", None),
    ("DE", "Neustadt", None),
    ("US", "Springfield", None),
    ("US", "Portland", Some((45.52, -122.68))),
    ("AU", "Sydney NSW 2000", Some((-33.87, 151.21))),
    ("DE", "Region Hannover", Some((52.37, 9.73))),
    ("DE", "Berlin, Germany", Some((52.52, 13.40))),
    ("DE", "80331 München", Some((48.14, 11.58))),
    ("US", "Boston, MA", Some((42.36, -71.06))),
    ("US", "New York, NY 10001", Some((40.71, -74.01))),
    ("DE", "Frankfurt am Main", Some((50.11, 8.68))),
    ("DE", "Köln", Some((50.94, 6.96))),
    ("DE", "Cologne", Some((50.94, 6.96))),
    ("CH", "Zurich", Some((47.37, 8.55))),
    ("GB", "Greater London", Some((51.51, -0.13))),
    ("NO", "OSLO", Some((59.91, 10.75))),
    ("FR", "Paris 8e", Some((48.86, 2.35))),
    ("DE", "Großraum Stuttgart", Some((48.78, 9.18))),
];

/// If no place or several places are found, a remark says so.
#[test]
fn places_have_the_right_coordinates_or_a_remark() {
    let mut wrong = Vec::new();
    for (country, city, expect) in INPUTS {
        let mut input = input(SOURCE);
        (input.country, input.city) = (CountryCode::parse(country), Some(city.to_owned()));
        input.details.location_country_code = input.country;
        input.details.location_city.clone_from(&input.city);
        let made = by_rules(&input).unwrap();
        let found = made.coordinates.map(|at| (at.latitude, at.longitude));
        let is_near = match (found, expect) {
            (Some((north, east)), Some((expect_north, expect_east))) => {
                (north - expect_north).abs() < 0.3 && (east - expect_east).abs() < 0.3
            }
            (found, expect) => found.is_none() && expect.is_none(),
        };
        let about_place = |code: RemarkCode| code.as_str().contains("place");
        let remarks = made.findings.remarks.iter().map(|remark| remark.code);
        let remarks: Vec<_> = remarks.filter(|code| about_place(*code)).collect();
        let is_common = remarks == [RemarkCode::PlaceAmbiguous];
        if !is_near || (remarks.len() != 1) == (found.is_none() || is_common) {
            wrong.push((city, found, made.findings.remarks));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
