//! The states of the United States and the provinces of Canada, which people write after a city.

/// The lower-case code of a state, by its code or by its folded name.
pub(crate) fn code(country: &str, folded: &str) -> Option<&'static str> {
    let states = match country {
        "US" => UNITED_STATES,
        "CA" => CANADA,
        _ => return None,
    };
    let mut states = states.split("; ").filter_map(|state| state.split_once(' '));
    let found = states.find(|(code, name)| *code == folded || *name == folded);
    found.map(|(code, _)| code)
}

const CANADA: &str = "\
    ab alberta; bc british columbia; mb manitoba; nb new brunswick; \
    nl newfoundland and labrador; ns nova scotia; nt northwest territories; nu nunavut; \
    on ontario; pe prince edward island; qc quebec; sk saskatchewan; yt yukon";

const UNITED_STATES: &str = "\
    al alabama; ak alaska; az arizona; ar arkansas; ca california; co colorado; ct connecticut; \
    de delaware; dc district of columbia; fl florida; ga georgia; hi hawaii; id idaho; \
    il illinois; in indiana; ia iowa; ks kansas; ky kentucky; la louisiana; me maine; \
    md maryland; ma massachusetts; mi michigan; mn minnesota; ms mississippi; mo missouri; \
    mt montana; ne nebraska; nv nevada; nh new hampshire; nj new jersey; nm new mexico; \
    ny new york; nc north carolina; nd north dakota; oh ohio; ok oklahoma; or oregon; \
    pa pennsylvania; ri rhode island; sc south carolina; sd south dakota; tn tennessee; \
    tx texas; ut utah; vt vermont; va virginia; wa washington; wv west virginia; wi wisconsin; \
    wy wyoming";
