//! Danish.

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "da",
    confirm: Passage {
        heading: "Bekræft dit abonnement",
        text: "Vores nyhedsbrev flytter til et nyt udsendelsessystem. Når du bekræfter, \
               flytter dit abonnement med.",
        note: "Der ændres ikke noget, før du trykker på en af knapperne.",
    },
    confirm_button: "Bekræft mit abonnement",
    unsubscribe_button: "Afmeld mig i stedet",
    confirmed: Passage {
        heading: "Tak, det var det hele",
        text: "Dit abonnement flytter til vores nye udsendelsessystem eller er der allerede. \
               Indtil da kan nyhedsbrevet stadig komme på den sædvanlige måde.",
        note: "Du behøver ikke gøre mere og kan lukke siden.",
    },
    unsubscribed: Passage {
        heading: "Du er afmeldt",
        text: "Vi sender dig ikke længere dette nyhedsbrev. En e-mail, der allerede er på vej, \
               kan stadig nå frem.",
        note: "Du kan lukke siden.",
    },
    not_subscribed: Passage {
        heading: "Du er ikke tilmeldt",
        text: "Vi sender ikke vores nyhedsbrev til denne adresse: Den er afmeldt, eller vores \
               e-mails kom retur. En bekræftelse ændrer ikke på det.",
        note: "Vil du gerne have nyhedsbrevet igen, så kontakt os; vi tilmelder dig kun igen, \
               hvis du beder om det.",
    },
    unknown: Passage {
        heading: "Linket virker ikke",
        text: "Måske blev det klippet over undervejs. Åbn det igen fra vores e-mail, eller \
               kopiér hele linket til adresselinjen.",
        note: "Dit abonnement er ikke ændret.",
    },
    failed: Passage {
        heading: "Det lykkedes ikke lige nu",
        text: "Vores tjeneste svarede ikke. Åbn linket fra vores e-mail igen om nogle \
               minutter.",
        note: "Dit abonnement er ikke ændret.",
    },
    in_doubt: Passage {
        heading: "Det lykkedes ikke lige nu",
        text: "Vores tjeneste svarede ikke, så vi ved ikke, om din anmodning er nået frem. \
               Prøv igen om nogle minutter.",
        note: "Det gør ikke noget at trykke to gange.",
    },
    retry_button: "Prøv igen",
};
