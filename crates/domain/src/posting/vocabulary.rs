//! The closed vocabularies of a posting, with their names in JSON and in the stores.

use crate::vocabulary::vocabulary;

vocabulary! {
    /// Kind of employment.
    #[non_exhaustive]
    EmploymentType {
        FullTime = "full-time",
        PartTime = "part-time",
        /// Contract or freelance.
        Contract = "contract",
        Internship = "internship",
    }
}

vocabulary! {
    /// Where the work is done.
    #[non_exhaustive]
    LocationType {
        Remote = "remote",
        OnSite = "on-site",
        /// Remote plus on-site.
        Hybrid = "hybrid",
        Other = "other",
    }
}

vocabulary! {
    /// The period that a salary covers.
    #[non_exhaustive]
    SalaryPeriod {
        Hourly = "hourly",
        Weekly = "weekly",
        Monthly = "monthly",
        Annually = "annually",
    }
}

vocabulary! {
    /// The status of a posting.
    Status {
        /// Waits for its first verdict.
        PendingEnrichment = "PendingEnrichment",
        /// May be shown.
        Approved = "approved",
        /// Must not be shown.
        Rejected = "rejected",
        /// Was taken down.
        Expired = "expired",
    }
}

impl Status {
    /// Whether the posting is, or may become, visible: it waits for a verdict or is approved.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::PendingEnrichment | Self::Approved)
    }
}
