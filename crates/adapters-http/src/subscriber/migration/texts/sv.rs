//! Swedish.

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "sv",
    confirm: Passage {
        heading: "Bekräfta din prenumeration",
        text: "Vårt nyhetsbrev flyttar till ett nytt utskickssystem. När du bekräftar följer \
               din prenumeration med.",
        note: "Inget ändras förrän du trycker på någon av knapparna.",
    },
    confirm_button: "Bekräfta min prenumeration",
    unsubscribe_button: "Avsluta prenumerationen i stället",
    confirmed: Passage {
        heading: "Tack, det var allt",
        text: "Din prenumeration flyttar till vårt nya utskickssystem eller finns redan där. \
               Till dess kan nyhetsbrevet fortfarande komma på det vanliga sättet.",
        note: "Du behöver inte göra något mer och kan stänga sidan.",
    },
    unsubscribed: Passage {
        heading: "Din prenumeration är avslutad",
        text: "Vi skickar inte det här nyhetsbrevet till dig längre. Ett mejl som redan är på \
               väg kan ändå komma fram.",
        note: "Du kan stänga sidan.",
    },
    not_subscribed: Passage {
        heading: "Du prenumererar inte",
        text: "Vi skickar inte vårt nyhetsbrev till den här adressen: prenumerationen har \
               avslutats, eller så kom våra mejl tillbaka. En bekräftelse ändrar inte det.",
        note: "Vill du få nyhetsbrevet igen, kontakta oss; vi lägger bara till dig igen om du \
               ber om det.",
    },
    unknown: Passage {
        heading: "Länken fungerar inte",
        text: "Den kan ha klippts av på vägen. Öppna den igen från vårt mejl, eller kopiera \
               hela länken till adressfältet.",
        note: "Din prenumeration har inte ändrats.",
    },
    failed: Passage {
        heading: "Det gick inte just nu",
        text: "Vår tjänst svarade inte. Öppna länken i vårt mejl igen om några minuter.",
        note: "Din prenumeration har inte ändrats.",
    },
    in_doubt: Passage {
        heading: "Det gick inte just nu",
        text: "Vår tjänst svarade inte, så vi vet inte om din begäran kom fram. Försök igen om \
               några minuter.",
        note: "Det gör inget att trycka två gånger.",
    },
    retry_button: "Försök igen",
};
