//! The closed vocabularies of a posting, with their names in JSON and in the stores.

use kernel::vocabulary::vocabulary;

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
