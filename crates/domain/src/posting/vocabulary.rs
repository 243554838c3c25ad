//! The closed vocabularies of a posting, with their names in JSON and in the stores.

/// Declares an enum whose variants have a fixed name.
macro_rules! vocabulary {
    ($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $name {
            /// Every value, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];
            /// Every name, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($text,)+];

            /// The value with this exact name.
            pub fn parse(name: &str) -> Option<Self> {
                match name {
                    $($text => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The value's name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl crate::field::Term for $name {
            fn parse(text: &str) -> Option<Self> {
                Self::parse(text)
            }

            fn expected() -> String {
                format!("one of {}", Self::NAMES.join(", "))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

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
    /// What a salary is paid for.
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
    /// Where a posting stands.
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
