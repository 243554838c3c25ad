//! Norwegian (Bokmål).

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "nb",
    confirm: Passage {
        heading: "Bekreft abonnementet ditt",
        text: "Nyhetsbrevet vårt flytter til et nytt utsendelsessystem. Når du bekrefter, \
               flytter abonnementet ditt med.",
        note: "Ingenting endres før du trykker på en av knappene.",
    },
    confirm_button: "Bekreft abonnementet mitt",
    unsubscribe_button: "Meld meg av i stedet",
    confirmed: Passage {
        heading: "Takk, det var alt",
        text: "Abonnementet ditt flytter til det nye utsendelsessystemet vårt, eller er der \
               allerede. Inntil da kan nyhetsbrevet fortsatt komme på vanlig måte.",
        note: "Du trenger ikke å gjøre noe mer og kan lukke siden.",
    },
    unsubscribed: Passage {
        heading: "Du er meldt av",
        text: "Vi sender deg ikke dette nyhetsbrevet lenger. En e-post som allerede er på vei, \
               kan fortsatt komme fram.",
        note: "Du kan lukke siden.",
    },
    not_subscribed: Passage {
        heading: "Du abonnerer ikke",
        text: "Vi sender ikke nyhetsbrevet vårt til denne adressen: Den er meldt av, eller \
               e-postene våre kom i retur. En bekreftelse endrer ikke på det.",
        note: "Vil du ha nyhetsbrevet igjen, så ta kontakt med oss; vi melder deg bare på \
               igjen hvis du ber om det.",
    },
    unknown: Passage {
        heading: "Lenken virker ikke",
        text: "Den kan ha blitt kuttet på veien. Åpne den på nytt fra e-posten vår, eller \
               kopier hele lenken til adressefeltet.",
        note: "Abonnementet ditt er ikke endret.",
    },
    failed: Passage {
        heading: "Det gikk ikke akkurat nå",
        text: "Tjenesten vår svarte ikke. Åpne lenken fra e-posten vår på nytt om noen \
               minutter.",
        note: "Abonnementet ditt er ikke endret.",
    },
    in_doubt: Passage {
        heading: "Det gikk ikke akkurat nå",
        text: "Tjenesten vår svarte ikke, så vi vet ikke om forespørselen din kom fram. Prøv \
               igjen om noen minutter.",
        note: "Det gjør ingenting å trykke to ganger.",
    },
    retry_button: "Prøv igjen",
};
