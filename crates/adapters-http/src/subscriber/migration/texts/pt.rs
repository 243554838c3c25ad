//! Portuguese.

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "pt",
    confirm: Passage {
        heading: "Confirme a sua inscrição",
        text: "A nossa newsletter vai passar para um novo sistema de envio. Se confirmar, a \
               sua inscrição passa também.",
        note: "Nada muda enquanto não clicar num dos botões.",
    },
    confirm_button: "Confirmar a minha inscrição",
    unsubscribe_button: "Prefiro cancelar a inscrição",
    confirmed: Passage {
        heading: "Obrigado, é tudo",
        text: "A sua inscrição está a passar para o nosso novo sistema de envio, ou já lá \
               está. Até lá, a newsletter pode ainda chegar como habitualmente.",
        note: "Não precisa de fazer mais nada; pode fechar esta página.",
    },
    unsubscribed: Passage {
        heading: "A sua inscrição foi cancelada",
        text: "Não lhe enviaremos mais esta newsletter. Um e-mail que já vai a caminho pode \
               ainda chegar.",
        note: "Pode fechar esta página.",
    },
    not_subscribed: Passage {
        heading: "Não tem inscrição ativa",
        text: "Não enviamos a nossa newsletter para este endereço: a inscrição foi cancelada, \
               ou os nossos e-mails foram devolvidos. Confirmar não altera nada.",
        note: "Se quiser voltar a recebê-la, contacte-nos; só voltamos a fazer a inscrição a \
               seu pedido.",
    },
    unknown: Passage {
        heading: "Este link não funciona",
        text: "Pode ter ficado cortado pelo caminho. Abra-o de novo a partir do nosso e-mail, \
               ou copie o link completo para a barra de endereço.",
        note: "A sua inscrição não mudou.",
    },
    failed: Passage {
        heading: "Não foi possível neste momento",
        text: "O nosso serviço não respondeu. Volte a abrir o link do nosso e-mail dentro de \
               alguns minutos.",
        note: "A sua inscrição não mudou.",
    },
    in_doubt: Passage {
        heading: "Não foi possível neste momento",
        text: "O nosso serviço não respondeu, por isso não sabemos se o seu pedido chegou. \
               Tente de novo dentro de alguns minutos.",
        note: "Clicar duas vezes não faz mal.",
    },
    retry_button: "Tentar de novo",
};
