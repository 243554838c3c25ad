//! The rare states that the seeds of a run must visit, so that every rule is tested.

macro_rules! states {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)+) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Reached {
            $($(#[$doc])* $name,)+
        }

        impl Reached {
            pub const ALL: &[Self] = &[$(Self::$name),+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

states! {
    LateDelivery = "an attempt arrives after its lease is lost";
    LostAnswer = "the answer of a receiver is lost";
    DeliveredAgain = "an event comes again";
    Superseded = "an event of a company is superseded";
    Replayed = "a replay repeats recorded events";
    Aside = "a subject waits aside";
    Disabled = "an endpoint is disabled";
    Death = "a process dies";
    Jump = "all clocks are put forward";
    InDoubt = "a commit is done, and its answer is lost";
    ForgottenTask = "a task is claimed that a worker has forgotten";
    UnreadLine = "the identifier of a line cannot be read";
    HeldBack = "an import is held back";
    Released = "a release expires a posting";
    Undone = "an undo reopens a posting";
    LostImport = "an import loses its lease";
    Merged = "a merge moves a posting";
    GivenBack = "a merged company gets a posting back";
    DroppedTexts = "retention drops the texts of a posting";
}
