//! `posthaste webhooks`: the operators' webhooks, and a look after those of clients.

mod change;
mod context;
mod deliver;
mod show;

use ::webhooks::WantedState;

use self::{
    change::{Create, Delete, Rotate, Update, set},
    context::WebhookArgs,
    deliver::{Replay, Resend, Test},
    show::{Deliveries, List, Show},
};

commands! {
    /// Have events delivered to webhooks, and look after those of clients
    Webhooks {
        Create(Create),
        List(List),
        Show(Show),
        Update(Update),
        /// Stop deliveries for a while; events wait
        Pause(WebhookArgs) => set(WantedState::Paused),
        /// Resume deliveries, also to a webhook that was disabled; events that waited follow
        Resume(WebhookArgs) => set(WantedState::Active),
        Rotate(Rotate),
        Test(Test),
        Replay(Replay),
        Resend(Resend),
        Deliveries(Deliveries),
        Delete(Delete),
    }
}
