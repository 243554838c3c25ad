//! Dutch.

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "nl",
    confirm: Passage {
        heading: "Bevestig uw abonnement",
        text: "Onze nieuwsbrief gaat over op een nieuw verzendsysteem. Als u bevestigt, gaat \
               uw abonnement mee.",
        note: "Er verandert niets zolang u niet op een van de knoppen drukt.",
    },
    confirm_button: "Mijn abonnement bevestigen",
    unsubscribe_button: "Liever afmelden",
    confirmed: Passage {
        heading: "Bedankt, dat was alles",
        text: "Uw abonnement gaat over naar ons nieuwe verzendsysteem, of is daar al. Tot die \
               tijd kan de nieuwsbrief u nog op de gewone manier bereiken.",
        note: "U hoeft niets meer te doen en kunt deze pagina sluiten.",
    },
    unsubscribed: Passage {
        heading: "U bent afgemeld",
        text: "Wij sturen u deze nieuwsbrief niet meer. Een e-mail die al onderweg is, kan u \
               nog bereiken.",
        note: "U kunt deze pagina sluiten.",
    },
    not_subscribed: Passage {
        heading: "U bent niet aangemeld",
        text: "Wij sturen onze nieuwsbrief niet naar dit adres: het is afgemeld, of onze \
               e-mails kwamen terug. Bevestigen verandert daar niets aan.",
        note: "Wilt u de nieuwsbrief weer ontvangen? Neem dan contact met ons op; wij melden u \
               alleen op uw verzoek weer aan.",
    },
    unknown: Passage {
        heading: "Deze link werkt niet",
        text: "Misschien is hij onderweg afgebroken. Open hem opnieuw vanuit onze e-mail, of \
               kopieer de hele link naar de adresbalk.",
        note: "Uw abonnement is niet gewijzigd.",
    },
    failed: Passage {
        heading: "Dat is nu niet gelukt",
        text: "Onze dienst heeft niet geantwoord. Open de link uit onze e-mail over een paar \
               minuten opnieuw.",
        note: "Uw abonnement is niet gewijzigd.",
    },
    in_doubt: Passage {
        heading: "Dat is nu niet gelukt",
        text: "Onze dienst heeft niet geantwoord, dus wij weten niet of uw verzoek is \
               aangekomen. Probeer het over een paar minuten opnieuw.",
        note: "Twee keer drukken kan geen kwaad.",
    },
    retry_button: "Opnieuw proberen",
};
