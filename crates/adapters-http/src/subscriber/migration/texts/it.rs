//! Italian.

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "it",
    confirm: Passage {
        heading: "Confermi la sua iscrizione",
        text: "La nostra newsletter passa a un nuovo sistema di invio. Se conferma, passa \
               anche la sua iscrizione.",
        note: "Non cambia nulla finché non preme uno dei pulsanti.",
    },
    confirm_button: "Confermo l’iscrizione",
    unsubscribe_button: "Preferisco cancellarmi",
    confirmed: Passage {
        heading: "Grazie, è tutto",
        text: "La sua iscrizione sta passando al nostro nuovo sistema di invio, oppure è già \
               lì. Fino ad allora la newsletter può ancora arrivarle come di consueto.",
        note: "Non deve fare altro: può chiudere questa pagina.",
    },
    unsubscribed: Passage {
        heading: "La sua iscrizione è cancellata",
        text: "Non le invieremo più questa newsletter. Un’e-mail già in viaggio può ancora \
               arrivarle.",
        note: "Può chiudere questa pagina.",
    },
    not_subscribed: Passage {
        heading: "Nessuna iscrizione attiva",
        text: "Non inviamo la nostra newsletter a questo indirizzo: l’iscrizione è stata \
               cancellata, oppure le nostre e-mail sono tornate indietro. Una conferma non \
               cambia nulla.",
        note: "Se desidera riceverla di nuovo, ci contatti: la iscriveremo di nuovo solo su \
               sua richiesta.",
    },
    unknown: Passage {
        heading: "Questo link non funziona",
        text: "Forse è stato troncato durante l’invio. Lo apra di nuovo dalla nostra e-mail, \
               oppure copi il link completo nella barra degli indirizzi.",
        note: "La sua iscrizione non è cambiata.",
    },
    failed: Passage {
        heading: "In questo momento non ha funzionato",
        text: "Il nostro servizio non ha risposto. Apra di nuovo il link della nostra e-mail \
               tra qualche minuto.",
        note: "La sua iscrizione non è cambiata.",
    },
    in_doubt: Passage {
        heading: "In questo momento non ha funzionato",
        text: "Il nostro servizio non ha risposto, quindi non sappiamo se la sua richiesta è \
               arrivata. Riprovi tra qualche minuto.",
        note: "Premere due volte il pulsante non crea problemi.",
    },
    retry_button: "Riprova",
};
