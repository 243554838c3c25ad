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
    /// Manage operators' webhooks, and supervise clients' webhooks
    Webhooks {
        Create(Create),
        List(List),
        Show(Show),
        Update(Update),
        /// Stop deliveries for a while; events wait
        Pause(WebhookArgs) => set(WantedState::Paused),
        /// Resume deliveries, also to a disabled webhook; waiting events follow
        Resume(WebhookArgs) => set(WantedState::Active),
        Rotate(Rotate),
        Test(Test),
        Replay(Replay),
        Resend(Resend),
        Deliveries(Deliveries),
        Delete(Delete),
    }
}
