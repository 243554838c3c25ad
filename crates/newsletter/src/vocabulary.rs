use fields::vocabulary::vocabulary;
use kernel::id::id;

id! {
    /// A subscriber's id.
    SubscriberId
}

vocabulary! {
    /// Whether mail may be sent, ordered by strength: the stronger of two observations wins.
    SubscriberStatus {
        Active = "active",
        Removed = "removed",
        Bounced = "bounced",
        Unsubscribed = "unsubscribed",
        SpamReported = "spam_reported",
    }
}

impl SubscriberStatus {
    /// Whether no mail may be sent.
    pub const fn is_suppressed(self) -> bool {
        !matches!(self, Self::Active)
    }
}

vocabulary! {
    /// Whether a membership is a person's or a team's.
    PlanCategory {
        Individual = "individual",
        Team = "team",
    }
}

vocabulary! {
    /// The state of a membership.
    MembershipStatus {
        Active = "active",
        Expired = "expired",
        Canceled = "canceled",
    }
}

vocabulary! {
    /// The provider's two accounts. Every subscriber starts in the old one.
    Account {
        Old = "old",
        New = "new",
    }
}

vocabulary! {
    /// The origin of a move.
    MigrationSource {
        Launch = "launch",
        EmailConfirmation = "email_confirmation",
        Manual = "manual",
    }
}

vocabulary! {
    /// The value of the provider's field `member_status`. A lapse deliberately looks the same as a
    /// renewal: both happen daily, and the provider needs no update.
    MemberStatus {
        NonMember = "non-member",
        Canceled = "canceled",
        ActiveOrExpired = "active-or-expired",
    }
}
