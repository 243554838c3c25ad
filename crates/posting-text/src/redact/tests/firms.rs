//! Names as firms have them, and who has the name of the firm.

use super::check_cases;

#[test]
fn parts_of_the_names_of_firms() {
    check_cases(&[
        // A family after a given name.
        "Murermester Jens Kragh ApS | {c:Kraghs} svende er glade.",
        // Later words together.
        "Schrijnwerkerij De Backer & Zonen BV | Bij {c:De Backer} werk je met eik.",
        // An acronym before the words that it stands for, and one with the legal form.
        "SWZ Stadtwerke Zellerfeld AöR | Die {c:Stadtwerke Zellerfeld} bilden aus.",
        "Alpstein Treuhand AG | Die {c:ATAG} wächst.",
        // An ordinary first word that somebody is at.
        "Nova Install | Kom werken bij {c:Nova}! Een nova is een ster.",
        // A numbered institution.
        "Городская больница № 7 | В {c:Городской больнице № 7} тихо.",
        // The letters of a legal form are none in lower case.
        "Spitalul Sfânta Parascheva | {c:Spitalului Sfânta Parascheva} i s-a acordat premiul.",
        // A trade that begins like the website.
        "Bakkerij Oosterhuis | Bakker gezocht door {c:Oosterhuis}.",
        // Parts of a name in a script without spaces.
        "医療法人 青空会 みどりクリニック | {c:みどりクリニック}は内科の診療所です。",
        "成都启明星儿童教育咨询有限公司 | 加入{c:启明星}，带薪培训。",
    ]);
}

#[test]
fn persons_with_the_name_of_the_firm() {
    check_cases(&[
        "Menuiserie Delcourt SARL | Envoyez votre CV à {n:Patrice} {c:Delcourt}, {p:03 21 55 \
         50 14}.",
        "Varga és Fia Autószerviz | Tel: {p:+36 70 555 0182}, {c:Varga} {n:Péter}.",
        // At the start of a sentence without a contact it may be any word.
        "Bloom | Will {c:Bloom} hire?",
    ]);
}

#[test]
fn persons_and_numbers_beside_each_other() {
    check_cases(&[
        "Skriv til {n:Malthe}: {e:hej@x.example}. Tel. {p:081 55 50 18}, {n:Bernadette}.",
        "{n:Renata Hušková}, {p:321 555 018}.",
        "Turnover 321 555 018.",
        "Registered in England and Wales No. {i:07734215}.",
    ]);
}

#[test]
fn shortened_names() {
    check_cases(&[
        "Farmácia Popular do Ipezal | Na {c:Farmácia do Ipezal} e na {c:Farmácia Popular do \
         Ipezal} há vagas para você.",
        "Vendéglő a Fehérkúthoz Kft. | A {c:Fehérkútban} és a {c:Fehérkútnál} jó dolgozni, \
         hogy van hely.",
        "Statens havnetilsyn | {c:Havnetilsynet} ligger i Bodø, og det er godt. Et \
         havnetilsyn er viktig.",
        "Vishandel P. de Wit en Zn. | Bij {c:De Wit} begin je om vier uur.",
        "Kovács Gép Kft. | A {c:KG}-nél jó, hogy jó a hely.",
        "Solmar 코리아 | {c:Solmar코리아}가 채용합니다.",
        "Кав'ярня «Зерно» | У «{c:Зерні}» варять каву. Мелемо зерно самі.",
    ]);
}

#[test]
fn regions_and_things_that_a_name_has() {
    check_cases(&[
        "Kommunale Verkehrsbetriebe Rheintal AöR | Wer im Rheintal lebt, kennt den Fluss.",
        "Hutmet Śląsk S.A. | Na Śląsku jest w tym i jest dobrze.",
        "Direction départementale des finances de la Corvenne | La Corvenne est un beau pays \
         pour vous.",
        "Landesbetrieb Forst und Gewässer Nordheide | Forst und Gewässer sind Ihnen und der \
         Chefin vertraut.",
    ]);
    // The one word that is the company's own.
    check_cases(&[
        // A region alone.
        "Родопа Текстил АД | Фабриката {c:Родопа} е нова. Стани част от {c:Родопа}!",
    ]);
}
