//! The closed vocabularies of a posting, with their names in JSON and in the stores.

use fields::vocabulary::vocabulary;

vocabulary! {
    /// Kind of employment.
    #[non_exhaustive]
    EmploymentType {
        FullTime = "full-time" | "?permanent" | "ft" | "vollzeit",
        PartTime = "part-time" | "pt" | "teilzeit",
        /// Contract or freelance.
        Contract = "contract" | "contractor" | "freelance" | "freelancer" | "?temporary" | "?temp",
        Internship = "internship" | "intern" | "?trainee" | "praktikum",
    }
}

vocabulary! {
    /// Where the work is done.
    #[non_exhaustive]
    LocationType {
        Remote = "remote" | "fully remote" | "telecommute" | "?home office" | "?wfh",
        OnSite = "on-site" | "?office" | "in office" | "in person",
        /// Remote plus on-site.
        Hybrid = "hybrid" | "partly remote" | "partially remote",
        Other = "other",
    }
}

vocabulary! {
    /// The period that a salary covers.
    #[non_exhaustive]
    SalaryPeriod {
        Hourly = "hourly" | "hour" | "h",
        Weekly = "weekly" | "week",
        Monthly = "monthly" | "month",
        Annually = "annually" | "annual" | "annum" | "year" | "yearly" | "pa",
    }
}

vocabulary! {
    /// The closed list of reasons for a rejection, by their names in answers, history, logs and
    /// models' answers.
    ReasonCode {
        /// Without markup and links, the description is empty; or the title is a placeholder.
        NoContent = "no_content",
        /// The posting is a test, not an offer.
        TestPosting = "test_posting",
        /// The posting is no job offer, but an advertisement, a course, or a search for a job.
        NotAJob = "not_a_job",
        /// The posting is made for search engines or clicks: repeated keywords, link farms.
        Spam = "spam",
        /// The posting asks applicants for money or misusable data, or makes impossible promises.
        Fraud = "fraud",
        /// The posting excludes people for who they are, not for their abilities.
        Discriminatory = "discriminatory",
        /// The posting shows personal data of a person who is not a contact.
        PersonalData = "personal_data",
        /// The work, or the way in which it is offered, is forbidden.
        Illegal = "illegal",
        /// The description or a text made of it exceeds the budget. Given by rules only.
        TooComplex = "too_complex",
        /// The description is an image. Given by rules only.
        ImageOnly = "image_only",
        /// The title or description is a server's message: JavaScript is needed, access is denied,
        /// a puzzle must be solved, or nothing was found. Given by rules only.
        ErrorPage = "error_page",
        /// The title or description asks the reader to sign in or to subscribe. Given by rules
        /// only.
        LoginWall = "login_wall",
        /// The title or description says that the position is taken or no longer offered. Given by
        /// rules only.
        ClosedNotice = "closed_notice",
        /// The description is a menu, a footer or a cookie banner. Given by rules only.
        Navigation = "navigation",
    }
}

impl ReasonCode {
    /// Whether the content is no ad, but a page that a source delivered in its place.
    pub const fn is_no_ad(self) -> bool {
        matches!(
            self,
            Self::ErrorPage
                | Self::LoginWall
                | Self::ClosedNotice
                | Self::NoContent
                | Self::Navigation
                | Self::TestPosting
        )
    }
}
