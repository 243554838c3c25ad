//! Why a posting is rejected: the closed list of codes, each with a sentence for people.

use kernel::vocabulary;

vocabulary! {
    /// The closed list of reasons for a rejection, by their names in answers, history, logs and
    /// models' answers.
    #[non_exhaustive]
    ReasonCode {
        /// Nothing is left of the description once markup and links are taken away.
        NoContent = "no_content",
        /// The posting is a test, not an offer.
        TestPosting = "test_posting",
        /// No job offer: an advertisement, a course, a job wanted.
        NotAJob = "not_a_job",
        /// Meant for search engines or clicks: repeated keywords, link farms.
        Spam = "spam",
        /// Asks applicants for money or misusable data, or makes impossible promises.
        Fraud = "fraud",
        /// Excludes people by what they are instead of what they can do.
        Discriminatory = "discriminatory",
        /// Shows personal data of a person who is not a contact.
        PersonalData = "personal_data",
        /// The work, or how it is offered, is forbidden.
        Illegal = "illegal",
        /// The description or a text made of it exceeds the budget. Given by rules only.
        TooComplex = "too_complex",
        /// The description is an image. Given by rules only.
        ImageOnly = "image_only",
        /// The description is what a server shows instead of a page: it needs JavaScript, denies
        /// access, or finds nothing. Given by rules only.
        ErrorPage = "error_page",
        /// The description says that the position is taken or no longer offered. Given by rules
        /// only.
        PositionClosed = "position_closed",
    }
}

impl ReasonCode {
    /// The code's explanation, with advice for the client that pushes the posting.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NoContent => {
                "The description says nothing about the job. Describe the job, its tasks and its \
                 requirements in `raw_description` and send the posting again."
            }
            Self::TestPosting => {
                "The posting looks like a test. Send it again with the description of a real job \
                 in `raw_description`."
            }
            Self::NotAJob => {
                "The posting does not offer a job. Send only offers of work to this board."
            }
            Self::Spam => {
                "The posting looks like an advertisement or a collection of keywords or links. \
                 Describe one job in it and send it again."
            }
            Self::Fraud => {
                "The posting asks applicants for money or for data that can be misused, or \
                 promises what cannot be true. Take that out and send the posting again."
            }
            Self::Discriminatory => {
                "The posting excludes people by what they are, such as their sex, age or origin. \
                 Ask for what the job needs instead and send it again."
            }
            Self::PersonalData => {
                "The posting shows personal data that does not belong in public, such as a private \
                 address. Take it out and send the posting again."
            }
            Self::Illegal => {
                "The posting offers work, or conditions of work, that the law forbids."
            }
            Self::TooComplex => {
                "The description is too complex to be read. Send the text of the job with simple \
                 markup in `raw_description`, without deep nesting and endless repetition."
            }
            Self::ImageOnly => {
                "The description is an image, which cannot be read. Write what it says in \
                 `raw_description` and send the posting again."
            }
            Self::ErrorPage => {
                "The description is a page that asks for JavaScript, denies access or reports an \
                 error. Fetch the job itself and send the posting again."
            }
            Self::PositionClosed => {
                "The description says that the position is no longer offered. Expire the posting, \
                 or describe the job in `raw_description` and send it again."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_code_has_a_name_and_a_sentence_of_its_own() {
        let (mut names, mut sentences) = (HashSet::new(), HashSet::new());
        for code in ReasonCode::ALL {
            assert!(names.insert(code.as_str()), "{code}");
            let sentence = code.sentence();
            assert!(sentences.insert(sentence), "{code}");
            assert!(sentence.starts_with("The "), "{sentence}");
            assert!(sentence.ends_with('.'), "{sentence}");
            assert!(
                !sentence.contains("  ") && !sentence.contains('\n'),
                "{sentence}"
            );
        }
    }
}
