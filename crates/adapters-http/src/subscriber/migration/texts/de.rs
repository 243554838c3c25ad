//! German.

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "de",
    confirm: Passage {
        heading: "Bestätigen Sie Ihr Abonnement",
        text: "Unser Newsletter zieht in ein neues Versandsystem um. Wenn Sie bestätigen, \
               nehmen wir Ihr Abonnement mit.",
        note: "Es ändert sich nichts, solange Sie keine Schaltfläche drücken.",
    },
    confirm_button: "Abonnement bestätigen",
    unsubscribe_button: "Stattdessen abbestellen",
    confirmed: Passage {
        heading: "Vielen Dank, das war alles",
        text: "Ihr Abonnement zieht in unser neues Versandsystem um oder ist schon dort. Bis \
               dahin kann der Newsletter Sie noch auf dem gewohnten Weg erreichen.",
        note: "Sie müssen nichts weiter tun und können diese Seite schließen.",
    },
    unsubscribed: Passage {
        heading: "Sie sind abgemeldet",
        text: "Wir senden Ihnen diesen Newsletter nicht mehr. Eine E\u{2011}Mail, die schon unterwegs \
               ist, kann Sie noch erreichen.",
        note: "Sie können diese Seite schließen.",
    },
    not_subscribed: Passage {
        heading: "Sie sind nicht angemeldet",
        text: "An diese Adresse senden wir unseren Newsletter nicht: Er wurde abbestellt, oder \
               unsere E\u{2011}Mails kamen zurück. Eine Bestätigung ändert daran nichts.",
        note: "Wenn Sie ihn wieder erhalten möchten, schreiben Sie uns bitte; wir melden Sie \
               nur auf Ihren Wunsch wieder an.",
    },
    unknown: Passage {
        heading: "Dieser Link funktioniert nicht",
        text: "Vielleicht wurde er unterwegs abgeschnitten. Bitte öffnen Sie ihn noch einmal \
               aus unserer E\u{2011}Mail, oder kopieren Sie den ganzen Link in die Adresszeile.",
        note: "An Ihrem Abonnement hat sich nichts geändert.",
    },
    failed: Passage {
        heading: "Das hat gerade nicht geklappt",
        text: "Unser Dienst hat nicht geantwortet. Bitte öffnen Sie den Link aus unserer \
               E\u{2011}Mail in ein paar Minuten noch einmal.",
        note: "An Ihrem Abonnement hat sich nichts geändert.",
    },
    in_doubt: Passage {
        heading: "Das hat gerade nicht geklappt",
        text: "Unser Dienst hat nicht geantwortet; deshalb wissen wir nicht, ob Ihre Anfrage \
               angekommen ist. Bitte versuchen Sie es in ein paar Minuten noch einmal.",
        note: "Zweimal zu drücken schadet nicht.",
    },
    retry_button: "Noch einmal versuchen",
};
