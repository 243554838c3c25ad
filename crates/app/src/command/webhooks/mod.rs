//! `posthaste webhooks`: the operators' webhooks, and a look after those of clients.

mod context;
mod create;
mod deliveries;
mod list;
mod manage;
mod replay;
mod resend;
mod rotate;
mod show;
mod test;
mod update;

use self::{
    create::Create,
    deliveries::Deliveries,
    list::List,
    manage::{Delete, Pause, Resume},
    replay::Replay,
    resend::Resend,
    rotate::Rotate,
    show::Show,
    test::Test,
    update::Update,
};

commands! {
    /// Have events delivered to webhooks, and look after those of clients
    Webhooks {
        Create(Create),
        List(List),
        Show(Show),
        Update(Update),
        Pause(Pause),
        Resume(Resume),
        Rotate(Rotate),
        Test(Test),
        Replay(Replay),
        Resend(Resend),
        Deliveries(Deliveries),
        Delete(Delete),
    }
}
