//! Creates realistic payloads of 3–6 KB, the same in every run.
//!
//! `load.lua` must join head and tail exactly as [`payload`] does: otherwise repeated pushes change
//! postings.

use std::fmt::Write as _;

use serde_json::json;

pub const TAILS: u64 = 2_000;
pub const COMPANIES: u64 = 5_000;

const WORDS: &str = "team product service customer experience data system project process quality \
    market design platform security research delivery support network software hardware business \
    solution strategy planning report budget partner supplier contract training schedule shift \
    warehouse kitchen patient clinic school student teacher vehicle machine electric hydraulic \
    maintenance inspection safety audit invoice payroll account finance insurance policy claim \
    campaign content brand social media analysis forecast model pipeline release incident backlog \
    interface library framework database query storage cloud cluster container deployment \
    monitoring alert latency reliable flexible modern international friendly ambitious curious \
    independent structured motivated careful creative hands-on long-term permanent remote hybrid \
    weekly monthly yearly early late shared growing leading regional local global build improve \
    maintain operate document review prepare coordinate negotiate present advise coach mentor \
    lead develop test ship measure reduce increase ensure organise handle answer sell buy receive \
    together across within between during after before every several many few new existing own \
    the a our your with for and or of in on to from by at as is are will can should";
const TITLES: [&str; 8] = [
    "Backend Engineer",
    "Nurse (m/f/d)",
    "Warehouse Operative",
    "Senior Accountant",
    "Electrician",
    "Product Designer",
    "Sales Manager DACH",
    "Teaching Assistant",
];
const PLACES: [(&str, &str, &str); 6] = [
    ("DE", "Berlin", "EUR"),
    ("NO", "Oslo", "NOK"),
    ("GB", "Leeds", "GBP"),
    ("FR", "Lyon", "EUR"),
    ("PL", "Kraków", "PLN"),
    ("US", "Austin", "USD"),
];

pub struct Tail {
    pub description: String,
    pub country: &'static str,
    pub city: &'static str,
    pub currency: &'static str,
    pub salary_min: u64,
    pub salary_max: u64,
    pub location_type: &'static str,
    pub metadata: String,
}

impl Tail {
    pub fn new(n: u64) -> Self {
        let mut random = Random::new(n);
        let (country, city, currency) = random.pick(&PLACES);
        let salary_min = 30_000 + random.below(50) * 1_000;
        Self {
            description: description(&mut random),
            country,
            city,
            currency,
            salary_min,
            salary_max: salary_min + 5_000 + random.below(20) * 1_000,
            location_type: random.pick(&["remote", "hybrid", "on-site"]),
            metadata:
                json!({"source": "careers-page", "crawl": n, "ref": random.next() % 1_000_000})
                    .to_string(),
        }
    }

    pub fn json(&self) -> String {
        format!(
            r#""raw_description":{},"employment_types":["full-time"],"location_types":["{}"],"location_country_code":"{}","location_city":"{}","salary_min":{},"salary_max":{},"salary_currency_code":"{}","salary_period":"annually","metadata":{}}}"#,
            json!(self.description),
            self.location_type,
            self.country,
            self.city,
            self.salary_min,
            self.salary_max,
            self.currency,
            self.metadata,
        )
    }
}

pub fn payload(number: u64, title: &str, tail: &str) -> String {
    let company = number % COMPANIES;
    format!(
        r#"{{"title":"{title}","company":{{"name":"Company {company}","website_url":"https://www.company-{company}.example/","logo_path":"logos/{company}.png"}},"application_url":"https://www.company-{company}.example/jobs/{number}",{tail}"#
    )
}

pub fn title(identifier: &str) -> String {
    format!("Backend Engineer (m/f/d) {identifier}")
}

/// A description in HTML as recruiters paste it: headings, paragraphs and lists.
fn description(random: &mut Random) -> String {
    let length = 2_500 + usize::try_from(random.below(1_800)).unwrap_or_default();
    let role = random.pick(&TITLES);
    let mut html = format!("<h1>{role}</h1>\n");
    while html.len() < length {
        let _ = write!(html, "<h2>{}</h2>\n<p>", random.words(3));
        for _ in 0..2 + random.below(3) {
            let length = 8 + random.below(12);
            let _ = write!(html, "{}. ", random.words(length));
        }
        html.push_str("</p>\n<ul>\n");
        for _ in 0..3 + random.below(4) {
            let length = 5 + random.below(6);
            let words = random.words(length);
            let _ = writeln!(
                html,
                "  <li><strong>{}</strong> {words}</li>",
                random.words(1)
            );
        }
        html.push_str("</ul>\n");
    }
    let _ = write!(
        html,
        "<p>Questions? <a href=\"https://jobs.example/{}\">Write to us</a> &amp; apply!</p>",
        random.below(100_000)
    );
    html
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        let mut random = Self((seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<T: Copy>(&mut self, among: &[T]) -> T {
        let at = self.below(among.len() as u64);
        among[usize::try_from(at).unwrap_or_default()]
    }

    fn words(&mut self, count: u64) -> String {
        let all: Vec<&str> = WORDS.split_whitespace().collect();
        let words: Vec<_> = (0..count).map(|_| self.pick(&all)).collect();
        let text = words.join(" ");
        let mut letters = text.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn payloads_are_json_of_the_size_of_real_ones() {
        let mut descriptions = HashSet::new();
        for n in 0..TAILS {
            let tail = Tail::new(n);
            let payload = payload(n, &title(&format!("keep-{n}")), &tail.json());
            assert!(
                (3_000..6_144).contains(&payload.len()),
                "{n}: {}",
                payload.len()
            );
            let value: serde_json::Value = serde_json::from_str(&payload).unwrap();
            assert_eq!(value["raw_description"], tail.description);
            assert_eq!(value["metadata"]["crawl"], n);
            // The payload is quoted in Lua and in SQL.
            assert!(!payload.contains("]==]") && !payload.contains('\n'));
            descriptions.insert(tail.description);
        }
        assert_eq!(descriptions.len() as u64, TAILS);
    }
}
