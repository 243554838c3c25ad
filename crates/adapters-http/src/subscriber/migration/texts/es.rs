//! Spanish.

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "es",
    confirm: Passage {
        heading: "Confirme su suscripción",
        text: "Nuestro boletín pasa a un nuevo sistema de envío. Si confirma, su suscripción \
               pasará también.",
        note: "Nada cambia mientras no pulse uno de los botones.",
    },
    confirm_button: "Confirmar mi suscripción",
    unsubscribe_button: "Prefiero darme de baja",
    confirmed: Passage {
        heading: "Gracias, eso es todo",
        text: "Su suscripción está pasando a nuestro nuevo sistema de envío, o ya está en él. \
               Hasta entonces, puede que el boletín le llegue todavía como siempre.",
        note: "No tiene que hacer nada más; puede cerrar esta página.",
    },
    unsubscribed: Passage {
        heading: "Se ha dado de baja",
        text: "Ya no le enviaremos este boletín. Es posible que aún le llegue un correo que ya \
               está en camino.",
        note: "Puede cerrar esta página.",
    },
    not_subscribed: Passage {
        heading: "No tiene ninguna suscripción",
        text: "No enviamos nuestro boletín a esta dirección: se dio de baja, o nuestros \
               correos fueron devueltos. Confirmar no cambia nada.",
        note: "Si desea volver a recibirlo, escríbanos; solo le daremos de alta de nuevo si \
               usted lo pide.",
    },
    unknown: Passage {
        heading: "Este enlace no funciona",
        text: "Puede que se haya cortado por el camino. Ábralo de nuevo desde nuestro correo, \
               o copie el enlace completo en la barra de direcciones.",
        note: "Su suscripción no ha cambiado.",
    },
    failed: Passage {
        heading: "No ha funcionado en este momento",
        text: "Nuestro servicio no ha respondido. Vuelva a abrir el enlace de nuestro correo \
               dentro de unos minutos.",
        note: "Su suscripción no ha cambiado.",
    },
    in_doubt: Passage {
        heading: "No ha funcionado en este momento",
        text: "Nuestro servicio no ha respondido, así que no sabemos si su petición ha \
               llegado. Inténtelo de nuevo dentro de unos minutos.",
        note: "Pulsar el botón dos veces no causa ningún problema.",
    },
    retry_button: "Intentar de nuevo",
};
