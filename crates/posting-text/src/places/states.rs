/// The lower-case codes of a country's states.
pub(crate) fn codes(country: &str) -> impl Iterator<Item = &'static str> {
    let states = table(country).unwrap_or_default().lines();
    states.filter_map(|state| Some(state.split_once(' ')?.0))
}

pub(crate) fn code(country: &str, folded: &str) -> Option<&'static str> {
    let mut states = table(country)?
        .lines()
        .filter_map(|state| state.split_once(' '));
    let found = states.find(|(code, name)| *code == folded || *name == folded);
    found.map(|(code, _)| code)
}

fn table(country: &str) -> Option<&'static str> {
    match country {
        "US" => Some(include_str!("tables/united_states.txt")),
        "CA" => Some(include_str!("tables/canada.txt")),
        _ => None,
    }
}
