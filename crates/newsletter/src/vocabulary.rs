//! The closed sets of values of a subscriber.

use fields::vocabulary::vocabulary;
use kernel::id::id;

id! {
    /// A subscriber's id.
    SubscriberId
}

vocabulary! {
    /// Whether mail may be sent. Ordered by strength: the stronger of two observations wins, in
    /// whatever order they arrive.
    SubscriberStatus {
        /// Mail may be sent.
        Active = "active",
        /// Removed at the provider.
        Removed = "removed",
        /// Mail cannot be delivered permanently.
        Bounced = "bounced",
        Unsubscribed = "unsubscribed",
        /// Reported mail as spam.
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
    /// The owner of a membership.
    PlanCategory {
        Individual = "individual",
        Team = "team",
    }
}

vocabulary! {
    /// The state of a membership.
    MembershipStatus {
        /// Paid for.
        Active = "active",
        /// Lapsed.
        Expired = "expired",
        /// Ended by the member.
        Canceled = "canceled",
    }
}

vocabulary! {
    /// The provider's two accounts. Every subscriber starts in the old one.
    Account {
        /// The account that subscribers move from.
        Old = "old",
        /// The account that subscribers move to.
        New = "new",
    }
}

vocabulary! {
    /// The origin of a move.
    MigrationSource {
        /// The launch, which moves all subscribers.
        Launch = "launch",
        /// The subscriber, through the link in an e-mail.
        EmailConfirmation = "email_confirmation",
        /// An operator.
        Manual = "manual",
    }
}

vocabulary! {
    /// The specification's `member_status`, derived from the membership. A lapse and a renewal
    /// deliberately look the same: they happen daily, and the provider needs no update.
    MemberStatus {
        NonMember = "non-member",
        /// A membership that the member ended.
        Canceled = "canceled",
        /// A paid or lapsed membership.
        ActiveOrExpired = "active-or-expired",
    }
}
