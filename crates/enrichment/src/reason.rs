//! The reasons of rejections: by rules, and by a model.

use domain::posting::{
    ReasonCode::{
        self, ClosedNotice, Discriminatory, ErrorPage, Fraud, Illegal, ImageOnly, LoginWall,
        Navigation, NoContent, NotAJob, PersonalData, Spam, TestPosting, TooComplex,
    },
    Verdict,
};
use posting_text::Refusal;

/// The codes that a model may give. Only the rules give the other codes, which are certain.
pub const MODEL_CODES: [ReasonCode; 8] = [
    NoContent,
    TestPosting,
    NotAJob,
    Spam,
    Fraud,
    Discriminatory,
    PersonalData,
    Illegal,
];

/// The sentence of [`NoContent`] for a description that consists of links only.
const ONLY_LINKS: &str = "The description consists of links only. Describe the job itself in \
                          `raw_description` and send the posting again.";

/// The explanation of a code, with advice for the client that pushes the posting.
pub const fn sentence(code: ReasonCode) -> &'static str {
    match code {
        NoContent => {
            "The title or the description says nothing about the job. Name the job in `title`, \
             describe its tasks and requirements in `raw_description`, and send the posting again."
        }
        TestPosting => {
            "The posting looks like a test. Send it again with the description of a real job \
             in `raw_description`."
        }
        NotAJob => "The posting does not offer a job. Send only offers of work to this board.",
        Spam => {
            "The posting looks like an advertisement or a collection of keywords or links. \
             Describe one job in it and send it again."
        }
        Fraud => {
            "The posting asks applicants for money or for data that can be misused, or \
             promises what cannot be true. Take that out and send the posting again."
        }
        Discriminatory => {
            "The posting excludes people by what they are, such as their sex, age or origin. \
             Ask for what the job needs instead and send it again."
        }
        PersonalData => {
            "The posting shows personal data that does not belong in public, such as a private \
             address. Take it out and send the posting again."
        }
        Illegal => "The posting offers work, or conditions of work, that the law forbids.",
        TooComplex => {
            "The description is too complex to be read. Send the text of the job with simple \
             markup in `raw_description`, without deep nesting and endless repetition."
        }
        ImageOnly => {
            "The description is an image, which cannot be read. Write what it says in \
             `raw_description` and send the posting again."
        }
        ErrorPage => {
            "The title or the description is that of a page that asks for JavaScript, denies \
             access or reports an error. Fetch the job itself and send the posting again."
        }
        LoginWall => {
            "The title or the description is that of a page that asks the reader to sign in. \
             Fetch the job itself and send the posting again."
        }
        ClosedNotice => {
            "The title or the description says that the position is no longer offered. Expire \
             the posting, or describe the job in `raw_description` and send it again."
        }
        Navigation => {
            "The description is a menu, a footer or a cookie banner. Fetch the job itself and \
             send the posting again."
        }
    }
}

/// Parses a code that a model may give.
pub fn model_code(name: &str) -> Option<ReasonCode> {
    MODEL_CODES.into_iter().find(|code| code.as_str() == name)
}

/// The rejection of a posting that the rules refuse.
pub fn refused(refusal: Refusal, passages: Vec<String>) -> Verdict {
    let code = match refusal {
        Refusal::OnlyLinks | Refusal::NoContent => NoContent,
        Refusal::OnlyImage => ImageOnly,
        Refusal::ErrorPage => ErrorPage,
        Refusal::LoginWall => LoginWall,
        Refusal::Closed => ClosedNotice,
        Refusal::Navigation => Navigation,
        Refusal::Test => TestPosting,
    };
    let text = match refusal {
        Refusal::OnlyLinks => ONLY_LINKS,
        _ => sentence(code),
    };
    Verdict::Reject {
        code,
        text: text.to_owned(),
        passages,
    }
}

/// The reason of a rejection by a model: the code's explanation, and the model's detail for this
/// posting.
pub fn explained(code: ReasonCode, detail: &str) -> String {
    let sentence = sentence(code);
    if detail.is_empty() || sentence.contains(detail) {
        return sentence.to_owned();
    }
    format!("{sentence} {detail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_contains_the_cure() {
        for refusal in Refusal::ALL {
            let Verdict::Reject { text, .. } = refused(refusal, Vec::new()) else {
                panic!("{refusal:?} approves")
            };
            assert!(text.contains("again"), "{text}");
        }
    }

    #[test]
    fn the_code_speaks_first() {
        let sentence = sentence(Spam);
        let explained = |detail| explained(Spam, detail);
        assert_eq!(
            explained("It repeats “loan”."),
            format!("{sentence} It repeats “loan”.")
        );
        for nothing_new in ["", sentence, "Describe one job"] {
            assert_eq!(explained(nothing_new), sentence);
        }
    }
}
