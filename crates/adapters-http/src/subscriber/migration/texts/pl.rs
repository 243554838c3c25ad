//! Polish.

use super::{Passage, Texts};

/// The texts.
pub const TEXTS: Texts = Texts {
    tag: "pl",
    confirm: Passage {
        heading: "Prosimy potwierdzić subskrypcję",
        text: "Nasz newsletter przechodzi na nowy system wysyłki. Po potwierdzeniu przejdzie \
               tam również Państwa subskrypcja.",
        note: "Nic się nie zmieni, dopóki nie zostanie naciśnięty jeden z przycisków.",
    },
    confirm_button: "Potwierdzam subskrypcję",
    unsubscribe_button: "Wolę zrezygnować",
    confirmed: Passage {
        heading: "Dziękujemy, to wszystko",
        text: "Państwa subskrypcja przechodzi do naszego nowego systemu wysyłki albo już w nim \
               jest. Do tego czasu newsletter może jeszcze przychodzić tak jak dotychczas.",
        note: "Nie trzeba robić nic więcej; tę stronę można zamknąć.",
    },
    unsubscribed: Passage {
        heading: "Subskrypcja została anulowana",
        text: "Nie będziemy już wysyłać Państwu tego newslettera. Wiadomość, która jest już w \
               drodze, może jeszcze dotrzeć.",
        note: "Tę stronę można zamknąć.",
    },
    not_subscribed: Passage {
        heading: "Brak aktywnej subskrypcji",
        text: "Nie wysyłamy naszego newslettera na ten adres: subskrypcja została anulowana \
               albo nasze wiadomości wracały. Potwierdzenie tego nie zmienia.",
        note: "Jeśli chcą Państwo znów go otrzymywać, prosimy o kontakt; ponownie zapisujemy \
               tylko na prośbę.",
    },
    unknown: Passage {
        heading: "Ten link nie działa",
        text: "Być może został po drodze ucięty. Prosimy otworzyć go ponownie z naszej \
               wiadomości albo skopiować cały link do paska adresu.",
        note: "Państwa subskrypcja się nie zmieniła.",
    },
    failed: Passage {
        heading: "W tej chwili się nie udało",
        text: "Nasza usługa nie odpowiedziała. Prosimy za kilka minut ponownie otworzyć link z \
               naszej wiadomości.",
        note: "Państwa subskrypcja się nie zmieniła.",
    },
    in_doubt: Passage {
        heading: "W tej chwili się nie udało",
        text: "Nasza usługa nie odpowiedziała, więc nie wiemy, czy Państwa prośba dotarła. \
               Prosimy spróbować ponownie za kilka minut.",
        note: "Dwukrotne naciśnięcie przycisku niczemu nie szkodzi.",
    },
    retry_button: "Spróbuj ponownie",
};
