pub(crate) fn code(country: &str, folded: &str) -> Option<&'static str> {
    let mut states = table(country)?
        .lines()
        .filter_map(|state| state.split_once(' '));
    let found = states.find(|(code, name)| *code == folded || *name == folded);
    found.map(|(code, _)| code)
}

/// Whether a folded name is also that of a region, so that it may follow a city of the region.
/// `None` in countries whose regions are not known.
pub(crate) fn is_region(country: &str, folded: &str) -> Option<bool> {
    if table(country).is_some() {
        return Some(code(country, folded).is_some());
    }
    let mut lines = include_str!("tables/regions.txt").lines();
    let regions = lines.find_map(|line| line.strip_prefix(country)?.strip_prefix(' '))?;
    Some(regions.split(';').any(|region| region == folded))
}

fn table(country: &str) -> Option<&'static str> {
    match country {
        "US" => Some(include_str!("tables/united_states.txt")),
        "CA" => Some(include_str!("tables/canada.txt")),
        _ => None,
    }
}
