//! The closed vocabularies of a posting, with their names in JSON and in the stores.

use crate::vocabulary::vocabulary;

vocabulary! {
    /// Kind of employment.
    EmploymentType {
        /// A full-time position.
        FullTime = "full-time",
        /// A part-time position.
        PartTime = "part-time",
        /// Contract or freelance.
        Contract = "contract",
        /// An internship.
        Internship = "internship",
    }
}

vocabulary! {
    /// Where the work is done.
    LocationType {
        /// Fully remote.
        Remote = "remote",
        /// On site only.
        OnSite = "on-site",
        /// Remote plus on-site.
        Hybrid = "hybrid",
        /// Other or unspecified.
        Other = "other",
    }
}

vocabulary! {
    /// The period that a salary covers.
    SalaryPeriod {
        /// Each hour.
        Hourly = "hourly",
        /// Each week.
        Weekly = "weekly",
        /// Each month.
        Monthly = "monthly",
        /// Each year.
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
