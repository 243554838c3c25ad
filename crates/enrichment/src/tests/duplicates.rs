//! Tests two hundred pairs of ads of one employer. In half of the pairs both ads are for one
//! opening; in the other half, for two.

use domain::posting::{
    Details, EmploymentType,
    duplicate::{Candidate, DatedFingerprint, Fingerprint, MinHash, Offer},
};
use fields::codes::{CountryCode, CurrencyCode};
use kernel::{
    CompanyId, PostingId,
    testing::{hours, identifier, noon, uuid},
};
use posting_text::{Budget, min_hash::min_hash};

const ADS: [[&str; 3]; 10] = [
    [
        "Cook",
        "Aarhus",
        "We are looking for a cook for our canteen near the harbour. You prepare breakfast and lunch for two hundred guests, plan the menu with the kitchen manager, order what is needed from local farms and keep the kitchen clean. You have a certificate as a cook, at least two years in a professional kitchen and a good sense of taste. We offer regular hours without weekends, a pension from the first day, free meals and a team that laughs a lot while it works hard.",
    ],
    [
        "Nurse",
        "Oslo",
        "Our ward for heart patients needs a registered nurse who likes responsibility. You take care of patients before and after surgery, work closely with doctors and physiotherapists, teach relatives and keep the records. You are authorised in this country, speak the language well and stay calm when several things happen at once. You get a mentor for the first three months, courses every year, a shift plan that you help to write and a flat near the hospital if you move here.",
    ],
    [
        "Backend Developer",
        "Berlin",
        "Join the team that builds the payment platform behind our shops. You design services, write code that others enjoy reading, review the work of colleagues and take part in the rotation for incidents. You know at least one statically typed language, relational databases and message queues, and you can explain a difficult decision in simple words. We work from home as much as you like, meet once a month, share our salaries openly and give every engineer a day a week for learning.",
    ],
    [
        "Truck Driver",
        "Lyon",
        "You drive a modern truck with a trailer between our warehouse and supermarkets in the region and are home every evening. You load and unload with a forklift, check the papers, look after the vehicle and talk kindly to customers. A licence for heavy vehicles and the driver card are required, experience with refrigerated goods is welcome. We pay every hour including the waiting, provide working clothes twice a year and repair our trucks in a workshop of our own.",
    ],
    [
        "Accountant",
        "Vienna",
        "For the finance department of a family business we seek an accountant for accounts payable and receivable. You post invoices, prepare the monthly closing, talk to suppliers about reminders and support the tax adviser with the annual statement. You have finished a commercial apprenticeship, know double entry by heart and are friends with spreadsheets. A quiet office with a garden awaits you, flexible hours, a canteen with a salad bar and an annual ticket for public transport.",
    ],
    [
        "Electrician",
        "Gothenburg",
        "We install charging stations for cars at homes and companies and need an electrician who works independently. You plan the installation with the customer, draw cables, mount the station, measure and document the result and explain its use. You are a trained electrician with a driving licence, careful with other people's houses and happy to work outdoors. You get a van that you may use privately, good tools, training by the manufacturers and paid time for the way to work.",
    ],
    [
        "Teacher for Mathematics",
        "Zurich",
        "Our school for pupils between twelve and sixteen looks for a teacher for mathematics and one further subject. You teach small classes, develop lessons with colleagues, advise parents and accompany a class on two excursions a year. You hold a teaching diploma for this level, enjoy questions that have no quick answer and use digital media where they help. We offer a reduced load in the first year, a coach from the college of education and a staff room with excellent coffee.",
    ],
    [
        "Warehouse Worker",
        "Rotterdam",
        "In our new distribution centre you pick orders with a scanner, pack parcels, check incoming goods and keep the aisles tidy. You work in early and late shifts that change weekly, lift up to twenty kilograms and pay attention to detail. You do not need a diploma, since we teach you everything within two weeks, but you should be punctual and understand instructions in English. You earn a bonus for every month without errors and can become a team leader after a year.",
    ],
    [
        "Hotel Receptionist",
        "Lisbon",
        "You are the first person that our guests meet and the last one they remember. You check them in and out, answer questions about the city, handle reservations and complaints with patience and help the night manager with the closing of the day. You speak Portuguese and English fluently, a third language is a plus, and you have worked at a front desk before. We give you a staff rate in all houses of the group, meals during shifts, laundry for uniforms and two free days in a row.",
    ],
    [
        "Lab Technician",
        "Helsinki",
        "In the quality laboratory of our dairy you analyse samples of milk and cheese with chemical and microbiological methods. You calibrate instruments, record results in the laboratory system, report deviations to production at once and improve the methods together with the chemist. You have a degree in laboratory technology, work precisely and know the rules of hygiene. Our people stay for fourteen years on average, which may be due to the sauna, the cheese and a collective agreement above the usual.",
    ],
];

#[derive(Clone)]
struct Ad {
    details: Details,
    company: u128,
    text: String,
}

fn ad(n: usize) -> Ad {
    let [title, city, text] = ADS[n];
    let details = Details {
        title: title.to_owned(),
        location_city: Some(city.to_owned()),
        location_country_code: CountryCode::parse("SE"),
        employment_types: vec![EmploymentType::FullTime],
        salary_min: Some(30_000),
        salary_max: Some(40_000),
        salary_currency_code: CurrencyCode::parse("EUR"),
        requisition_id: Some(format!("R-{n}")),
        ..Details::default()
    };
    Ad {
        details,
        company: 1,
        text: text.to_owned(),
    }
}

fn candidate(ad: &Ad, id: u128) -> Candidate {
    let budget = Budget::unlimited();
    let signature = min_hash(&ad.text, &budget).unwrap().unwrap();
    let company = CompanyId::new(uuid(ad.company));
    let fingerprint = Fingerprint::of(&ad.details, company, MinHash::new(signature));
    Candidate {
        id: PostingId::new(uuid(id)),
        source_identifier: identifier(&format!("a-{id}")),
        version: 1,
        is_open: true,
        company,
        offer: Offer::of(&ad.details),
        created_by: None,
        duplicate_of: None,
        dated: DatedFingerprint::new(fingerprint, noon() + hours(i64::try_from(id).unwrap())),
    }
}

fn begin(text: &str, share: usize) -> String {
    let words: Vec<_> = text.split(' ').collect();
    words[..words.len() * share / 100].join(" ")
}

type Change = fn(&mut Ad, &Ad);

const ONE: [Change; 10] = [
    |_, _| {},
    |ad, _| ad.details.title = ad.details.title.to_uppercase(),
    |ad, _| ad.text = format!("Are you new in town? {}", ad.text),
    |ad, _| ad.text = begin(&ad.text, 93),
    |ad, _| ad.text = format!("{} Posted 37 minutes ago, 1204 views.", ad.text),
    |ad, _| (ad.details.salary_min, ad.details.requisition_id) = (Some(38_000), None),
    |ad, _| {
        ad.details.employment_types.push(EmploymentType::PartTime);
        ad.details.requisition_id = None;
    },
    |ad, _| (ad.details.requisition_id, ad.details.salary_min) = (None, None),
    // The employer's number still matches.
    |ad, _| ad.text = begin(&ad.text, 50),
    |ad, _| {
        ad.details.title = format!("  {} -", ad.details.title);
        ad.details.location_city = ad.details.location_city.as_deref().map(str::to_lowercase);
    },
];

const TWO: [Change; 10] = [
    |ad, _| ad.details.location_city = Some("Malmö".to_owned()),
    |ad, _| ad.details.title = format!("Senior {}", ad.details.title),
    |_, _| {},
    |ad, _| (ad.details.salary_min, ad.details.salary_max) = (Some(60_000), Some(70_000)),
    |ad, _| ad.details.employment_types = vec![EmploymentType::PartTime],
    |ad, _| ad.company = 2,
    |ad, other| ad.text.clone_from(&other.text),
    |ad, other| ad.text = format!("{} {}", begin(&ad.text, 50), begin(&other.text, 50)),
    |ad, _| ad.details.location_country_code = CountryCode::parse("NO"),
    |ad, _| ad.details.location_city = None,
];

#[test]
fn nearly_all_of_two_hundred_pairs_are_judged_right() {
    let (mut right, mut wrong) = (0, Vec::new());
    for (n, _) in ADS.iter().enumerate() {
        let (first, other) = (ad(n), ad((n + 1) % ADS.len()));
        for (changes, is_one) in [(&ONE, true), (&TWO, false)] {
            for (at, change) in changes.iter().enumerate() {
                let mut second = first.clone();
                if !is_one {
                    second.details.requisition_id = (at == 2).then(|| "R-other".to_owned());
                }
                change(&mut second, &other);
                let found = candidate(&second, 2).duplicates(&candidate(&first, 1));
                if found == is_one {
                    right += 1;
                } else {
                    wrong.push((ADS[n][0], is_one, at));
                }
            }
        }
    }
    assert_eq!(right + wrong.len(), 200);
    assert!(right >= 190, "{wrong:?}");
}
