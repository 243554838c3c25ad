//! French.

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "fr",
    confirm: Passage {
        heading: "Confirmez votre abonnement",
        text: "Notre newsletter passe à un nouveau système d’envoi. Si vous confirmez, votre \
               abonnement suit.",
        note: "Rien ne change tant que vous n’appuyez sur aucun des boutons.",
    },
    confirm_button: "Confirmer mon abonnement",
    unsubscribe_button: "Me désabonner plutôt",
    confirmed: Passage {
        heading: "Merci, c’est tout",
        text: "Votre abonnement passe à notre nouveau système d’envoi, ou y est déjà. D’ici \
               là, la newsletter peut encore vous parvenir par la voie habituelle.",
        note: "Vous n’avez rien d’autre à faire et pouvez fermer cette page.",
    },
    unsubscribed: Passage {
        heading: "Votre désabonnement est enregistré",
        text: "Nous ne vous enverrons plus cette newsletter. Un e-mail déjà en route peut \
               encore vous parvenir.",
        note: "Vous pouvez fermer cette page.",
    },
    not_subscribed: Passage {
        heading: "Aucun abonnement en cours",
        text: "Nous n’envoyons pas notre newsletter à cette adresse\u{a0}: elle a été \
               désabonnée, ou nos e-mails nous sont revenus. Une confirmation n’y change rien.",
        note: "Si vous souhaitez la recevoir de nouveau, écrivez-nous\u{a0}; nous ne vous \
               réabonnerons qu’à votre demande.",
    },
    unknown: Passage {
        heading: "Ce lien ne fonctionne pas",
        text: "Il a peut-être été coupé en chemin. Veuillez l’ouvrir de nouveau depuis notre \
               e-mail, ou copier le lien entier dans la barre d’adresse.",
        note: "Votre abonnement n’a pas changé.",
    },
    failed: Passage {
        heading: "Cela n’a pas fonctionné",
        text: "Notre service n’a pas répondu. Veuillez rouvrir le lien de notre e-mail dans \
               quelques minutes.",
        note: "Votre abonnement n’a pas changé.",
    },
    in_doubt: Passage {
        heading: "Cela n’a pas fonctionné",
        text: "Notre service n’a pas répondu\u{a0}; nous ne savons donc pas si votre demande \
               est arrivée. Veuillez réessayer dans quelques minutes.",
        note: "Appuyer deux fois sur le bouton ne pose aucun problème.",
    },
    retry_button: "Réessayer",
};
