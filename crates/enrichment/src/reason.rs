//! The reasons of rejections: by rules, and by a model.

use domain::posting::{
    ReasonCode::{
        self, Discriminatory, ErrorPage, Fraud, Illegal, ImageOnly, NoContent, NotAJob,
        PersonalData, PositionClosed, Spam, TestPosting,
    },
    Verdict,
};
use posting_text::Refusal;

/// The codes that a model may give. The others are certain, and the rules give them.
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

/// The sentence of [`NoContent`] for a description of nothing but links.
const ONLY_LINKS: &str = "The description consists of links only. Describe the job itself in \
                          `raw_description` and send the posting again.";

/// Parses a code that a model may give.
pub fn model_code(name: &str) -> Option<ReasonCode> {
    MODEL_CODES.into_iter().find(|code| code.as_str() == name)
}

/// The rejection of a posting that the rules refuse.
pub fn refused(refusal: Refusal, passages: Vec<String>) -> Verdict {
    let (code, text) = match refusal {
        Refusal::OnlyLinks => (NoContent, ONLY_LINKS),
        Refusal::NoContent => (NoContent, NoContent.sentence()),
        Refusal::OnlyImage => (ImageOnly, ImageOnly.sentence()),
        Refusal::ErrorPage => (ErrorPage, ErrorPage.sentence()),
        Refusal::Closed => (PositionClosed, PositionClosed.sentence()),
        Refusal::Test => (TestPosting, TestPosting.sentence()),
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
    let sentence = code.sentence();
    if detail.is_empty() || sentence.contains(detail) {
        return sentence.to_owned();
    }
    format!("{sentence} {detail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_what_to_do() {
        for refusal in Refusal::ALL {
            let Verdict::Reject { text, .. } = refused(refusal, Vec::new()) else {
                panic!("{refusal:?} approves")
            };
            assert!(text.contains("again"), "{text}");
        }
    }

    #[test]
    fn the_code_speaks_first() {
        let sentence = Spam.sentence();
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
