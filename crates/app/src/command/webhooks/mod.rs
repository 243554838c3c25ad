//! `posthaste webhooks`: the operators' webhooks, and a look after those of clients.

mod context;
mod create;
mod deliveries;
mod list;
mod manage;
mod replay;
mod rotate;
mod show;
mod test;

use self::{
    create::Create,
    deliveries::Deliveries,
    list::List,
    manage::{Delete, Pause, Resume},
    replay::Replay,
    rotate::Rotate,
    show::Show,
    test::Test,
};

commands! {
    /// Have events delivered to webhooks, and look after those of clients
    Webhooks {
        Create(Create),
        List(List),
        Show(Show),
        Pause(Pause),
        Resume(Resume),
        Rotate(Rotate),
        Test(Test),
        Replay(Replay),
        Deliveries(Deliveries),
        Delete(Delete),
    }
}
