pub(crate) fn code(country: &str, folded: &str) -> Option<&'static str> {
    let states = match country {
        "US" => include_str!("tables/united_states.txt"),
        "CA" => include_str!("tables/canada.txt"),
        _ => return None,
    };
    let mut states = states.lines().filter_map(|state| state.split_once(' '));
    let found = states.find(|(code, name)| *code == folded || *name == folded);
    found.map(|(code, _)| code)
}
