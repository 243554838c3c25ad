//! The closed vocabularies of a posting, with their names in JSON and in the stores.

use kernel::vocabulary::vocabulary;

vocabulary! {
    /// Kind of employment.
    #[non_exhaustive]
    EmploymentType {
        FullTime = "full-time" | "permanent" | "ft" | "vollzeit",
        PartTime = "part-time" | "pt" | "teilzeit",
        /// Contract or freelance.
        Contract = "contract" | "contractor" | "freelance" | "freelancer" | "temporary" | "temp",
        Internship = "internship" | "intern" | "trainee" | "praktikum",
    }
}

vocabulary! {
    /// Where the work is done.
    #[non_exhaustive]
    LocationType {
        Remote = "remote" | "fully remote" | "telecommute" | "home office" | "wfh",
        OnSite = "on-site" | "office" | "in office" | "in person",
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
