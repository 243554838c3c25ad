//! The audited actions of operators on postings, companies and catalogues.

kernel::actions! {
    POSTINGS_APPROVE = "postings.approve",
    POSTINGS_REJECT = "postings.reject",
    /// A posting was featured, or is no longer featured.
    POSTINGS_FEATURE = "postings.feature",
    /// Postings that expired long ago were deleted.
    POSTINGS_PURGE = "postings.purge",
    /// A posting was taken down.
    POSTINGS_EXPIRE = "postings.expire",
    POSTINGS_ERASE = "postings.erase",
    POSTINGS_REOPEN = "postings.reopen",
    /// The values of an older version of a posting were restored.
    POSTINGS_RESTORE = "postings.restore",
    /// An operator marked two similar postings as different.
    POSTINGS_TELL_APART = "postings.tell_apart",
    /// An objection was answered, and the decision upheld.
    POSTINGS_UPHOLD = "postings.uphold",
    /// An objection was answered, and the decision reversed.
    POSTINGS_REVERSE = "postings.reverse",
    /// A posting was rejected or taken down because of reports.
    REPORTS_ACT = "reports.act",
    REPORTS_DISMISS = "reports.dismiss",
    COMPANIES_UPDATE = "companies.update",
    /// A company was merged into another one.
    COMPANIES_MERGE = "companies.merge",
    /// A merged company is separate again.
    COMPANIES_UNMERGE = "companies.unmerge",
    /// An operator marked two similar companies as different.
    COMPANIES_TELL_APART = "companies.tell_apart",
    /// A catalogue was deleted; its postings stay.
    CATALOGUES_FORGET = "catalogues.forget",
    /// The postings that an import held back were expired.
    CATALOGUES_RELEASE = "catalogues.release",
    /// An import's expiries and changes were undone.
    CATALOGUES_UNDO = "catalogues.undo",
}
