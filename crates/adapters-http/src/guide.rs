//! The guide: a page for people who write an integration, with examples that are run by the tests.

use askama::Template;
use domain::posting::ReasonCode;
use kernel::Status;

/// The content security policy: no scripts, and nothing from other sites.
pub const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; \
                          form-action 'none'; frame-ancestors 'none'";

/// The style sheet.
pub const STYLE: &str = include_str!("../templates/guide/style.css");

#[derive(Template)]
#[template(path = "guide/page.html")]
struct Guide {
    sections: &'static [Section],
    statuses: Vec<(&'static str, &'static str)>,
    reasons: Vec<(&'static str, &'static str)>,
    refusals: &'static [(&'static str, &'static str)],
    notices: &'static [(&'static str, &'static str)],
}

/// A step.
struct Section {
    id: &'static str,
    title: &'static str,
    text: &'static str,
    /// Each with its language.
    examples: &'static [(&'static str, &'static str)],
}

macro_rules! examples {
    ($($language:literal $file:literal),+) => {
        &[$(($language, include_str!(concat!("../templates/guide/examples/", $file)))),+]
    };
}

const SECTIONS: &[Section] = &[
    Section {
        id: "token",
        title: "Get a token",
        text: "The board's operator gives you a client id and a secret. Exchange them for a token \
               of an hour (OAuth 2.0 client credentials). The examples read BOARD, CLIENT_ID and \
               CLIENT_SECRET from the environment, and go on from one another.",
        examples: examples!("curl" "token.sh", "Python" "token.py", "Node" "token.mjs"),
    },
    Section {
        id: "push",
        title: "Push a posting",
        text: "One PUT creates, updates, expires or reopens. The identifier is yours. Repeat the \
               request whenever you are not sure: the second one changes nothing. After 429 and 503 \
               wait for as long as Retry-After says.",
        examples: examples!("curl" "push.sh", "Python" "push.py", "Node" "push.mjs"),
    },
    Section {
        id: "catalogue",
        title: "Keep a catalogue in step",
        text: "Send all that you offer, one posting a line. What the catalogue had before and no \
               line names expires, unless so much is missing that it looks like a broken crawl. \
               The last line of the answer is the summary; refused lines come before it.",
        examples: examples!(
            "curl" "catalogue.sh", "Python" "catalogue.py", "Node" "catalogue.mjs"
        ),
    },
    Section {
        id: "status",
        title: "See what became of it",
        text: "A new posting waits for its enrichment, and is approved or rejected a moment later. \
               The list of statuses and reasons is at the end of this page. The same, as pages for \
               people: the board's operator gives you a link to /integration, or your client makes \
               one with POST /api/job-board/integration/link.",
        examples: examples!("curl" "status.sh", "Python" "status.py", "Node" "status.mjs"),
    },
    Section {
        id: "search",
        title: "Show it to search engines",
        text: "Approved postings are given as schema.org JobPostings, as Google for Jobs takes \
               them. Unless you ask for identity=shown, nothing in them tells who the employer is: \
               put the address of your own page into url.",
        examples: examples!("curl" "search.sh", "Python" "search.py", "Node" "search.mjs"),
    },
    Section {
        id: "events",
        title: "Follow the events",
        text: "Everything that happens to your postings, in order. The cursor of a page leads to \
               the next one, and no event is missed or shown twice.",
        examples: examples!("curl" "events.sh", "Python" "events.py", "Node" "events.mjs"),
    },
    Section {
        id: "webhooks",
        title: "Receive webhooks",
        text: "Or have events delivered to an address of yours. Keep the secret that the answer \
               shows once, verify each delivery, answer 2xx within 15 seconds, and expect that one \
               comes twice: webhook-id tells. Deliveries are signed by Standard Webhooks, for which \
               there are libraries, too.",
        examples: examples!(
            "curl" "register.sh", "Python" "receive.py", "Node" "receive.mjs"
        ),
    },
];

/// What a status means for the client that pushes, and what there is to do.
const fn meaning(status: Status) -> &'static str {
    match status {
        Status::PendingEnrichment => {
            "It waits for its enrichment, and you for that. A reason that begins with \
             enrichment_failed says that it got no verdict: an operator judges it, or push other \
             content."
        }
        Status::Approved => {
            "It is visible; there is nothing to do. A reason that begins with awaiting_review says \
             that your newest content got no verdict, and that the older texts are shown."
        }
        Status::Rejected => {
            "It is not visible; status_reason and decision say why, and which passage counts. \
             Change that and push again. If the verdict is wrong, contest it at decision.appeal, \
             or ask the operator."
        }
        Status::Expired => {
            "You took it down, your catalogue left it out, or its lifetime ended. Fields that you \
             push do not bring it back; \"expiration\": null does."
        }
    }
}

/// The refusals of a push by their beginning, and what to do.
const REFUSALS: &[(&str, &str)] = &[
    (
        "401",
        "The token has ended: get a new one, and send the same again.",
    ),
    (
        "403",
        "Begin the identifier with one of your prefixes, or ask the operator for the scope.",
    ),
    (
        "404 Job posting not found.",
        "You expire what the board does not have. If the identifier is right, there is nothing \
         left to take down.",
    ),
    (
        "405",
        "There is no DELETE: to take a posting down, PUT {\"expiration\": {}}.",
    ),
    (
        "422 with errors",
        "Mend every field that is named. Nothing of the push was applied.",
    ),
    (
        "422 Invalid JobPosting state transition from rejected to expired.",
        "A rejected posting is not visible: leave it, or push what mends it, without expiration.",
    ),
    (
        "422 An operator took this posting down",
        "Leave \"expiration\": null out, and ask the operator.",
    ),
    (
        "408, 429, 500, 503",
        "Nothing is wrong with what you sent. Send it again, after Retry-After if there is one.",
    ),
];

/// The notices of a push that succeeded, and what to do.
const NOTICES: &[(&str, &str)] = &[
    (
        "unknown_field",
        "The field is not known, and was ignored: correct its name.",
    ),
    (
        "company_kept",
        "The company is another client's, or an earlier line named it: its name and logo stay.",
    ),
    (
        "still_expired",
        "The fields are stored and the posting stays down: send \"expiration\": null to reopen it.",
    ),
    (
        "still_rejected, taken_down",
        "An operator decided that it is not shown. Ask there.",
    ),
];

/// The page.
pub fn page() -> Result<String, askama::Error> {
    let statuses = Status::ALL.iter().copied();
    let reasons = ReasonCode::ALL.iter();
    Guide {
        sections: SECTIONS,
        statuses: statuses.map(|it| (it.as_str(), meaning(it))).collect(),
        reasons: reasons
            .map(|it| (it.as_str(), enrichment::sentence(*it)))
            .collect(),
        refusals: REFUSALS,
        notices: NOTICES,
    }
    .render()
}
