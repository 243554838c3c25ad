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
fn acronyms_of_syllables() {
    check(
        "an office",
        ("Alföldi Vízügyi Igazgatóság", ""),
        "Az AVIZIG dolgozói és az AVIZIG-nál.",
        "Az [company] dolgozói és az [company]-nál.",
    );
    check(
        "other capitals",
        ("Alföldi Vízügyi Igazgatóság", ""),
        "Az ALKATRÉSZ és az AVIGEL.",
        "Az ALKATRÉSZ és az AVIGEL.",
    );
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
fn firms_of_partners() {
    for (name, text, expect) in [
        (
            "Kancelaria Prawna Zdunowski i Wspólnicy sp.k.",
            "W Zdunowskim jest dobrze, a ze Zdunowskim i Wspólnikami lepiej.",
            "W [company] jest dobrze, a ze [company] lepiej.",
        ),
        (
            "Advokátní kancelář Drzoň, Hlavsa a partneři",
            "V Drzoň, Hlavsa se pracuje. U DHP také, a u Drzoně.",
            "V [company] se pracuje. U [company] také, a u [company].",
        ),
        (
            "Cabinet Tervoise & Associés",
            "Rejoindre Tervoise et Associés, chez Tervoise.",
            "Rejoindre [company], chez [company].",
        ),
        (
            "Avukatlık Ortaklığı Sezgin ve Ortakları",
            "Sezgin ve Ortakları ile bu iş için",
            "[company] ile bu iş için",
        ),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn a_later_word_stands_alone_where_only_a_name_can() {
    for (name, text, expect) in [
        (
            "Schoorsteenveger Wobbema B.V.",
            "Kom bij Wobbema. Wobbema veegt.",
            "Kom bij [company]. [company] veegt.",
        ),
        (
            "Tejados Robledillo e Hijos, S.L.",
            "Para la flota de Robledillo, con sede nueva para ti. Robledillo paga.",
            "Para la flota de [company], con sede nueva para ti. [company] paga.",
        ),
        (
            "АО «Судоремонтный завод Причал»",
            "На «Причале» есть столовая.",
            "На «[company]» есть столовая.",
        ),
        (
            "Ribarska zadruga Plavica",
            "U Plavici tražimo mrežare, ali i kuhare za more, na brodu smo.",
            "U [company] tražimo mrežare, ali i kuhare za more, na brodu smo.",
        ),
        (
            "Κτηνιατρική Κλινική Ζωοφιλία",
            "Στη Ζωοφιλία αγαπάμε τα ζώα.",
            "Στη [company] αγαπάμε τα ζώα.",
        ),
        // Nouns and headings have capitals, too.
        (
            "Ravenholt Forensics",
            "Our Forensics lab. Forensics helps.",
            "Our Forensics lab. Forensics helps.",
        ),
        ("Pekáreň Zlatý Klas", "Klas je zlatý.", "Klas je zlatý."),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn a_word_that_the_text_also_writes_in_lower_case() {
    check(
        "one word of the name",
        ("Tuulispää Games Oy", ""),
        "Tuulispää tekee pelejä, ja tuulispää on ilmiö.",
        "[company] tekee pelejä, ja tuulispää on ilmiö.",
    );
    check(
        "all words",
        ("Берёзовая Роща", ""),
        "В Берёзовой Роще есть берёзовая роща.",
        "В [company] есть берёзовая роща.",
    );
}

#[test]
fn short_forms_of_names_without_spaces() {
    for (name, text, expect) in [
        (
            "青禾文創股份有限公司",
            "青禾文創出版童書。在青禾，編輯可以遠距工作。",
            "[company]出版童書。在[company]，編輯可以遠距工作。",
        ),
        (
            "한빛누리요양병원",
            "한빛누리는 환자를 모십니다. 한빛 속에서",
            "[company]는 환자를 모십니다. 한빛 속에서",
        ),
        (
            "好味来餐饮管理有限公司",
            "来好味来，好味道",
            "来[company]，好味道",
        ),
        (
            "北京远衡律师事务所",
            "远衡的客户，加入远衡律所",
            "[company]的客户，加入[company]律所",
        ),
    ] {
        check(name, (name, ""), text, expect);
    }
}

#[test]
fn names_that_are_places() {
    let hidden = |name: &str, text: &str| {
        let identity = Identity {
            name,
            city: Some("Lahti"),
            country: Some("FI"),
            ..Identity::default()
        };
        markdown(text, &identity)
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
    let name = ("Schlöderer Anlagen AG", "");
    check(
        "umlaut",
        name,
        "Die Schloederer und die Schlöderer",
        "Die [company] und die [company]",
    );
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
