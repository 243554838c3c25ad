//! English.

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "en",
    confirm: Passage {
        heading: "Confirm your subscription",
        text: "Our newsletter is moving to a new mailing system. Confirm, and your \
               subscription moves along.",
        note: "Nothing changes until you press one of the buttons.",
    },
    confirm_button: "Confirm my subscription",
    unsubscribe_button: "Unsubscribe instead",
    confirmed: Passage {
        heading: "Thank you, that’s all",
        text: "Your subscription is moving to our new mailing system, or is there already. \
               Until then the newsletter may still reach you the usual way.",
        note: "There is nothing more to do; you can close this page.",
    },
    unsubscribed: Passage {
        heading: "You are unsubscribed",
        text: "We will not send you this newsletter any more. An e-mail that is already on its \
               way may still arrive.",
        note: "You can close this page.",
    },
    not_subscribed: Passage {
        heading: "You are not subscribed",
        text: "We do not send our newsletter to this address: it was unsubscribed, or our \
               e-mails came back. Confirming does not change that.",
        note: "If you would like to receive it again, please contact us; we only subscribe you \
               again at your request.",
    },
    unknown: Passage {
        heading: "This link does not work",
        text: "It may have been cut off on its way to you. Please open it again from our \
               e-mail, or copy the whole link into the address bar.",
        note: "Your subscription has not changed.",
    },
    failed: Passage {
        heading: "That did not work just now",
        text: "Our service did not answer. Please open the link from our e-mail again in a few \
               minutes.",
        note: "Your subscription has not changed.",
    },
    in_doubt: Passage {
        heading: "That did not work just now",
        text: "Our service did not answer, so we do not know whether your request arrived. \
               Please try again in a few minutes.",
        note: "Pressing the button twice does no harm.",
    },
    retry_button: "Try again",
};
