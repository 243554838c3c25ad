//! Names in their languages: inflected, in other scripts, by their first words and initials.

use super::{super::Identity, check, markdown};

#[test]
fn inflected_names() {
    for (name, text, expect) in [
        (
            "Koskelo Oy",
            "Koskelolla ja Koskelon varastossa on kiire, tule meille.",
            "[company] ja [company] varastossa on kiire, tule meille.",
        ),
        (
            "Wirtex Sp. z o.o.",
            "W Wirteksie i dla Wirtexu pracuje się dobrze.",
            "W [company] i dla [company] pracuje się dobrze.",
        ),
        (
            "Srebrny Młyn S.A.",
            "Ze Srebrnym Młynem, do Srebrnego Młyna. To młyn.",
            "Ze [company], do [company]. To młyn.",
        ),
        (
            "ООО «Ромашка»",
            "В Ромашке и с Ромашкой, ООО «Ромашка».",
            "В [company] и с [company], [company].",
        ),
        (
            "Telvikom Nyrt.",
            "A Telvikomnál és a Telvikomhoz is van hely, hogy jó legyen.",
            "A [company] és a [company] is van hely, hogy jó legyen.",
        ),
        (
            "Arçevik A.Ş.",
            "Arçevikte ve Arçevik'in fabrikasında bu iş için",
            "[company] ve [company]'in fabrikasında bu iş için",
        ),
        (
            "Brandtech GmbH",
            "Wir Brandtechler und die Kunden der Brandtechs.",
            "Wir [company] und die Kunden der [company].",
        ),
        (
            "Θαλασσινός Όμιλος",
            "Στον Θαλασσινό Όμιλο και του Θαλασσινού Ομίλου",
            "Στον [company] και του [company]",
        ),
        (
            "תבור מערכות בע\"מ",
            "בתבור מערכות וגם לתבור",
            "ב[company] וגם ל[company]",
        ),
        (
            "UAB Baltoji Pušis",
            "Baltojoje Pušyje ir su Baltąja Pušimi",
            "[company] ir su [company]",
        ),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn short_names_and_acronyms() {
    for (name, text, expect) in [
        (
            "NAV",
            "NAVs brukere og Navs kontor",
            "[company] brukere og [company] kontor",
        ),
        ("SAP", "SAPs Kultur", "[company] Kultur"),
        (
            "Direction départementale des finances publiques",
            "La DDFiP et la DDFIP",
            "La [company] et la [company]",
        ),
        (
            "Zakład Energetyki Cieplnej Radawa",
            "Pracownicy ZEC-u i ZEC Radawa",
            "Pracownicy [company]-u i [company]",
        ),
        (
            "Nordic Lights",
            "In Oslo, NL and 40 NL",
            "In Oslo, NL and 40 NL",
        ),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn parts_of_names() {
    for (name, text, expect) in [
        (
            "Müllner & Partner Rechtsanwälte",
            "Bei Müllner & Partner",
            "Bei [company]",
        ),
        (
            "Wikstrøm Rein Advokatfirma AS",
            "Hos Wikstrøm Rein",
            "Hos [company]",
        ),
        (
            "Northern Dawn Consulting",
            "At Northern Dawn",
            "At [company]",
        ),
        (
            "Bröderna Lagergrens Åkeri AB",
            "Hos Lagergren",
            "Hos [company]",
        ),
        (
            "Piekarnia Złoty Kłos",
            "Złoty Kłos piecze",
            "[company] piecze",
        ),
        (
            "Clínica Dental Arroyoverde S.L.",
            "Clínica Arroyoverde abre",
            "[company] abre",
        ),
        (
            "Green Valley",
            "food that is green. Valley floors",
            "food that is green. Valley floors",
        ),
        (
            "Paris Baguette",
            "Work in Paris. Baguette and",
            "Work in Paris. Baguette and",
        ),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn an_ordinary_word_that_begins_a_sentence() {
    let next = ("Next", "");
    check(
        "not the name",
        next,
        "Next year we grow. Next, you call.",
        "Next year we grow. Next, you call.",
    );
    check(
        "the name",
        next,
        "Next hires. At Next we work; join Next!",
        "[company] hires. At [company] we work; join [company]!",
    );
}

#[test]
fn scripts() {
    for (name, text, expect) in [
        (
            "Uber",
            "Uberの仕事。Uberは、",
            "[company]の仕事。[company]は、",
        ),
        (
            "株式会社ミルカーレ",
            "ミルカーレの工場。（株）ミルカーレ",
            "[company]の工場。[company]",
        ),
        (
            "上海明德科技有限公司",
            "明德的员工，上海明德科技有限公司",
            "[company]的员工，[company]",
        ),
        (
            "(주)누리빛테크",
            "누리빛테크는 성장합니다",
            "[company]는 성장합니다",
        ),
        ("ООО «Ромашка»", "Romashka ждёт вас", "[company] ждёт вас"),
        (
            "Acme",
            "アクメ株式会社（Acme）のアクメ",
            "[company]（[company]）の[company]",
        ),
        (
            "Bolt Technology OÜ",
            "Bolt Technology OÜ otsib",
            "[company] otsib",
        ),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn further_names() {
    let identity = Identity {
        name: "Havgard AS",
        other_names: &["Fjellvik", "Skogbrink Mat AS"],
        ..Identity::default()
    };
    assert_eq!(
        markdown("Havgard, Fjellviks folk og Skogbrink", &identity),
        "[company], [company] folk og [company]"
    );
}
