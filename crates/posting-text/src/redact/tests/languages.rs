//! Names in their languages: inflected, in other scripts, by their first words and initials.

use super::{check_cases, markdown};
use crate::Posting;

#[test]
fn inflected_names() {
    check_cases(&[
        "Koskelo Oy | {c:Koskelolla} ja {c:Koskelon} varastossa on kiire, tule meille.",
        "Wirtex Sp. z o.o. | W {c:Wirteksie} i dla {c:Wirtexu} pracuje się dobrze.",
        "Srebrny Młyn S.A. | Ze {c:Srebrnym Młynem}, do {c:Srebrnego Młyna}. To młyn.",
        "ООО «Ромашка» | В {c:Ромашке} и с {c:Ромашкой}, {c:ООО «Ромашка»}.",
        "Telvikom Nyrt. | A {c:Telvikomnál} és a {c:Telvikomhoz} is van hely, hogy jó legyen.",
        "Arçevik A.Ş. | {c:Arçevikte} ve {c:Arçevik}'in fabrikasında bu iş için",
        "Brandtech GmbH | Wir {c:Brandtechler} und die Kunden der {c:Brandtechs}.",
        "Θαλασσινός Όμιλος | Στον {c:Θαλασσινό Όμιλο} και του {c:Θαλασσινού Ομίλου}",
        r#"תבור מערכות בע"מ | ב{c:תבור מערכות} וגם ל{c:תבור}"#,
        "UAB Baltoji Pušis | {c:Baltojoje Pušyje} ir su {c:Baltąja Pušimi}",
    ]);
}

#[test]
fn acronyms_of_syllables() {
    check_cases(&[
        // An office.
        "Alföldi Vízügyi Igazgatóság | Az {c:AVIZIG} dolgozói és az {c:AVIZIG}-nál.",
        // Other capitals.
        "Alföldi Vízügyi Igazgatóság | Az ALKATRÉSZ és az AVIGEL.",
    ]);
}

#[test]
fn short_names_and_acronyms() {
    check_cases(&[
        "NAV | {c:NAVs} brukere og {c:Navs} kontor",
        "SAP | {c:SAPs} Kultur",
        "Direction départementale des finances publiques | La {c:DDFiP} et la {c:DDFIP}",
        "Direction départementale des finances publiques des Alpes-Maritimes - Pôle Gestion | La \
         {c:Direction départementale des finances publiques} et la {c:DDFiP}",
        "Zakład Energetyki Cieplnej Radawa | Pracownicy {c:ZEC}-u i {c:ZEC Radawa}",
        "Nordic Lights | In Oslo, NL and 40 NL",
    ]);
}

#[test]
fn parts_of_names() {
    check_cases(&[
        "Müllner & Partner Rechtsanwälte | Bei {c:Müllner & Partner}",
        "Wikstrøm Rein Advokatfirma AS | Hos {c:Wikstrøm Rein}",
        "Northern Dawn Consulting | At {c:Northern Dawn}",
        "Bröderna Lagergrens Åkeri AB | Hos {c:Lagergren}",
        "Piekarnia Złoty Kłos | {c:Złoty Kłos} piecze",
        "Clínica Dental Arroyoverde S.L. | {c:Clínica Arroyoverde} abre",
        "Green Valley | food that is green. Valley floors",
        "Paris Baguette | Work in Paris. Baguette and",
    ]);
}

#[test]
fn firms_of_partners() {
    check_cases(&[
        "Kancelaria Prawna Zdunowski i Wspólnicy sp.k. | W {c:Zdunowskim} jest dobrze, a ze \
         {c:Zdunowskim i Wspólnikami} lepiej.",
        "Advokátní kancelář Drzoň, Hlavsa a partneři | V {c:Drzoň, Hlavsa} se pracuje. U \
         {c:DHP} také, a u {c:Drzoně}.",
        "Cabinet Tervoise & Associés | Rejoindre {c:Tervoise et Associés}, chez {c:Tervoise}.",
        "Avukatlık Ortaklığı Sezgin ve Ortakları | {c:Sezgin ve Ortakları} ile bu iş için",
    ]);
}

#[test]
fn a_later_word_stands_alone_where_only_a_name_can() {
    check_cases(&[
        "Schoorsteenveger Wobbema B.V. | Kom bij {c:Wobbema}. {c:Wobbema} veegt.",
        "Tejados Robledillo e Hijos, S.L. | Para la flota de {c:Robledillo}, con sede nueva \
         para ti. {c:Robledillo} paga.",
        "АО «Судоремонтный завод Причал» | На «{c:Причале}» есть столовая.",
        "Ribarska zadruga Plavica | U {c:Plavici} tražimo mrežare, ali i kuhare za more, na \
         brodu smo.",
        "Κτηνιατρική Κλινική Ζωοφιλία | Στη {c:Ζωοφιλία} αγαπάμε τα ζώα.",
        // Nouns and headings have capitals, too.
        "Ravenholt Forensics | Our Forensics lab. Forensics helps.",
        "Pekáreň Zlatý Klas | Klas je zlatý.",
    ]);
}

#[test]
fn a_word_that_the_text_also_writes_in_lower_case() {
    check_cases(&[
        // One word of the name.
        "Tuulispää Games Oy | {c:Tuulispää} tekee pelejä, ja tuulispää on ilmiö.",
        // All words.
        "Берёзовая Роща | В {c:Берёзовой Роще} есть берёзовая роща.",
    ]);
}

#[test]
fn short_forms_of_names_without_spaces() {
    check_cases(&[
        "青禾文創股份有限公司 | {c:青禾文創}出版童書。在{c:青禾}，編輯可以遠距工作。",
        "한빛누리요양병원 | {c:한빛누리}는 환자를 모십니다. 한빛 속에서",
        "好味来餐饮管理有限公司 | 来{c:好味来}，好味道",
        "北京远衡律师事务所 | {c:远衡}的客户，加入{c:远衡}律所",
    ]);
}

#[test]
fn names_that_are_places() {
    let hidden = |name: &str, text: &str| {
        let posting = Posting {
            company_name: name,
            city: Some("Lahti"),
            country: Some("FI"),
            ..Posting::default()
        };
        markdown(text, &posting)
    };
    assert_eq!(hidden("Porvoo Oy", "Porvoo etsii."), "[company] etsii.");
    assert_eq!(
        hidden("Porvoo Puu Oy", "Porvoo etsii. Työ on Porvoossa."),
        "Porvoo etsii. Työ on Porvoossa."
    );
    assert_eq!(
        hidden("Porvoo Puu Oy", "Porvoo etsii puuseppää."),
        "[company] etsii puuseppää."
    );
}

#[test]
fn umlauts_are_spelled_out() {
    check_cases(&[
        // Umlaut.
        "Schlöderer Anlagen AG | Die {c:Schloederer} und die {c:Schlöderer}",
    ]);
}

#[test]
fn an_ordinary_word_that_begins_a_sentence() {
    check_cases(&[
        // Not the name.
        "Next | Next year we grow. Next, you call.",
        // The name.
        "Next | {c:Next} hires. At {c:Next} we work; join {c:Next}!",
        "Target | Target groups differ. {c:Target} is hiring at {c:Target}.",
    ]);
}

#[test]
fn scripts() {
    check_cases(&[
        "Uber | {c:Uber}の仕事。{c:Uber}は、",
        "株式会社ミルカーレ | {c:ミルカーレ}の工場。{c:（株）ミルカーレ}",
        "上海明德科技有限公司 | {c:明德}的员工，{c:上海明德科技有限公司}",
        "(주)누리빛테크 | {c:누리빛테크}는 성장합니다",
        "ООО «Ромашка» | {c:Romashka} ждёт вас",
        "Acme | {c:アクメ株式会社}（{c:Acme}）の{c:アクメ}",
        "Bolt Technology OÜ | {c:Bolt Technology OÜ} otsib",
    ]);
}

#[test]
fn further_names() {
    let posting = Posting {
        company_name: "Havgard AS",
        other_names: &["Fjellvik", "Skogbrink Mat AS"],
        ..Posting::default()
    };
    assert_eq!(
        markdown("Havgard, Fjellviks folk og Skogbrink", &posting),
        "[company], [company] folk og [company]"
    );
}
