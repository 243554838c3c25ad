//! The operators' actions on webhooks that are audited.

kernel::actions! {
    WEBHOOKS_CREATE = "webhooks.create",
    WEBHOOKS_UPDATE = "webhooks.update",
    WEBHOOKS_ROTATE = "webhooks.rotate",
    /// An endpoint's cursor was moved back.
    WEBHOOKS_REPLAY = "webhooks.replay",
    WEBHOOKS_RESEND = "webhooks.resend",
    WEBHOOKS_DELETE = "webhooks.delete",
    /// A ping was sent.
    WEBHOOKS_TEST = "webhooks.test",
}
