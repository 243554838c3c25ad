//! Persons, street addresses, register numbers and handles, and what only looks like them.

use super::{ACME, check};

#[test]
fn persons() {
    for (text, expect) in [
        (
            "Contact: Laura McKinnon, +1 208 555 0147",
            "Contact: [person], [phone]",
        ),
        (
            "Ihre Ansprechpartnerin ist Frau Katharina Seidlmayer.",
            "Ihre Ansprechpartnerin ist Frau [person].",
        ),
        (
            "Spørsmål rettes til seksjonsleder Torunn Ekeland, mobil 934 21 608",
            "Spørsmål rettes til seksjonsleder [person], mobil [phone]",
        ),
        (
            "Zadzwoń do pana Tomasza Zielonki: +48 501 234 567",
            r"Zadzwoń do pana [person]: [phone]",
        ),
        (
            "Звоните Сергею Петровичу: 8-927-123-45-67",
            r"Звоните [person]: [phone]",
        ),
        ("Kérdések: Nagy Péter", "Kérdések: [person]"),
        ("担当：田中 健一", "担当：[person]"),
        ("联系人：张先生", "联系人：[person]"),
        (
            "or HR Advisor Kari Hansen, 55 21 40 17.",
            "or HR Advisor [person], [phone].",
        ),
        (
            "Des questions ? Contactez Marie au 06 12 34 56 78.",
            "Des questions ? Contactez [person] au [phone].",
        ),
        ("담당자: 이수진", "담당자: [person]"),
        ("איש קשר: דוד אוחיון, נייד", "איש קשר: [person], נייד"),
        ("berg.nilo@x.org (Xandra Berg)", r"[email] ([person])"),
    ] {
        check(text, ACME, text, expect);
    }
}

#[test]
fn persons_whom_no_table_knows() {
    for (text, expect) in [
        (
            "Spør avdelingsdirektør Tormund Vikfjell, tlf. 62 51 09 44.",
            "Spør avdelingsdirektør [person], tlf. [phone].",
        ),
        (
            "Speak to Zorah Quillfeather on +44 141 496 0388.",
            "Speak to [person] on [phone].",
        ),
        (
            "Contact Ozric Thistlewood, Principal Engineer, tel. 01632 960 844.",
            "Contact [person], Principal Engineer, tel. [phone].",
        ),
        (
            "Chiama Fiorlinda Grezzani: +39 347 005 1128",
            "Chiama [person]: [phone]",
        ),
        (
            "Rašyk Gintvydei Vaičiūtei @gintvyde_hr",
            "Rašyk [person] [handle]",
        ),
        (
            "eller ring Oddmar på +47 915 20 634.",
            "eller ring [person] på [phone].",
        ),
        (
            "Dział kadr: Wszebor Zagłoba, (32) 230 11 54.",
            "Dział kadr: [person], [phone].",
        ),
        (
            "Обращаться: Коростелёва Нина Павловна, 8 8172 55-04-19.",
            "Обращаться: [person], [phone].",
        ),
        ("שלחו לנועם ליפשיץ: jobs@x.org", "שלחו ל[person]: [email]"),
        (
            "Zovite Ante Škarica: 023 550 118",
            "Zovite [person]: [phone]",
        ),
        ("（採用係 水野さゆり）", "（採用係 [person]）"),
        ("手机 138 0555 0167，找罗经理", "手机 [phone]，找[person]"),
        (
            "휴대폰 010-5550-0146 (정하늘 점장)",
            "휴대폰 [phone] ([person] 점장)",
        ),
    ] {
        check(text, ACME, text, expect);
    }
}

#[test]
fn no_persons_beside_contacts() {
    for (text, expect) in [
        ("Chave Pix: rh@x.org.br", r"Chave Pix: [email]"),
        ("Telefon Zentrale: 0561 998341", "Telefon Zentrale: [phone]"),
        (
            "Call our Customer Service Desk, +44 141 496 0388",
            "Call our Customer Service Desk, [phone]",
        ),
        (
            "Ring HR på 62 51 09 44, eller skriv.",
            "Ring HR på [phone], eller skriv.",
        ),
    ] {
        check(text, ACME, text, expect);
    }
}

#[test]
fn no_persons() {
    for text in [
        "Contact: Human Resources Department",
        "Frau/Herr (m/w/d) mit Mag. oder Dipl.-Ing.",
        "You report to the Director of Finance in Boise, Idaho.",
        "Ask our Customer Service for help",
        "The work of Albert Einstein and Marie Curie",
        "Fragen zur Stelle? Wir antworten gern.",
        "You will contact customers in North America.",
    ] {
        check(text, ACME, text, text);
    }
}

#[test]
fn addresses() {
    for (text, expect) in [
        ("at 14 Kirkgate Lane, Leeds", "at [address], Leeds"),
        ("2250 W Harbor Blvd, Suite 310, Boise", "[address], Boise"),
        ("Wolfhager Straße 118a, 34127 Kassel", "[address] Kassel"),
        ("Kopparbergsvägen 23 B i Västerås", "[address] i Västerås"),
        ("27 bis, rue des Tanneries à Dijon", "[address] à Dijon"),
        ("ul. Długa 5 w Gdańsku", "[address] w Gdańsku"),
        ("Via Borgo Palazzo, 114, Bergamo", "[address], Bergamo"),
        ("Rua da Alegria, n.º 19, Covilhã", "[address], Covilhã"),
        ("пр-т Ленина, 48, корп. 2, Самара", "[address], Самара"),
        ("Kandó Kálmán utca 11/B, Győr", "[address], Győr"),
        (
            "Διεύθυνση: Δημητριάδος 214, Βόλος",
            "Διεύθυνση: [address], Βόλος",
        ),
        (
            "上海市浦东新区张江路88号3幢201室",
            "上海市浦东新区[address]",
        ),
        (
            "부산광역시 사하구 다대로 114",
            "부산광역시 사하구 [address]",
        ),
        ("شارع الشيخ زايد، مبنى 14، دبي", "[address]، دبي"),
        (
            "27 شارع طلعت حرب، الدور الثالث، القاهرة",
            "[address]، القاهرة",
        ),
        (
            "Sct. Mathias Gade 44, 1. sal i Viborg",
            "[address] i Viborg",
        ),
        ("Baross Gábor út 22. II/4. Győr", "[address]. Győr"),
        ("Gran Vía 61, 3.º izda., Bilbao", "[address]., Bilbao"),
        ("C/ Predicadores, 88, Zaragoza", "[address], Zaragoza"),
        ("Siamo in via Vecchia Frigole 210/A.", "Siamo in [address]."),
        (
            "Corso Vittorio Emanuele II, 88/bis, Torino",
            "[address], Torino",
        ),
        ("Najdeš nás: U Bazénu 1177/3", "Najdeš nás: [address]"),
        (
            "Tel. +48 605 118 240, Narutowicza 14.",
            "Tel. [phone], [address].",
        ),
        (
            "北京市朝阳区东三环北路甲26号博瑞大厦8层",
            "北京市朝阳区[address]",
        ),
        ("창원시 성산구 공단로 518번길 22", "창원시 성산구 [address]"),
    ] {
        check(text, ACME, text, expect);
    }
}

#[test]
fn no_addresses() {
    for text in [
        "You work in 34127 Kassel, Oslo or Västerås.",
        "ISO 9001, DIN EN 1090-2, § 5 Abs. 2, DK 127 str. 2 d.",
        "40 hours, 5 days, 25 holidays, level C2",
        "On the way to 2030, a place for 12 people",
        "Schicht 3 am Standort 2 der Gruppe 4",
        "Route 66, Formula 1, Boeing 737, Java 17, Level 3 Support",
        "Via Teams 2 volte, Art. 2103 c.c., D.Lgs. 81/2008",
        "På väg 40 till 2030, Hall 4, Az. 4 C 12/20",
        "Platová třída 9, tarifní třída 12",
    ] {
        check(text, ACME, text, text);
    }
}

#[test]
fn ids() {
    for (text, expect) in [
        ("NIP 819-093-78-65, KRS: 0000412905", "NIP [id], KRS: [id]"),
        ("Org.nr. 942 486 111 MVA", "Org.nr. [id]"),
        ("SIRET 512 014 044 82111", "SIRET [id]"),
        (
            "HRB 14502 (Amtsgericht Kassel)",
            "[id] (Amtsgericht Kassel)",
        ),
        ("USt-IdNr. DE278272466", "USt-IdNr. [id]"),
        ("IBAN AT09 3678 0512 2143 1883", "IBAN [id]"),
        ("to FI30 3426 5787 1571 47 please", "to [id] please"),
        ("business 2048449-5", "business [id]"),
        (
            "ИНН 7795827852, ОГРН: 1605069907980",
            "ИНН [id], ОГРН: [id]",
        ),
        ("法人番号：4932461061041", "法人番号：[id]"),
        ("C.F. RGMPLA75H12L219K", "C.F. [id]"),
        ("company no. OC398211", "company no. [id]"),
        ("PR 1187 Amtsgericht Kassel", "[id] Amtsgericht Kassel"),
        ("Contribuinte n.º 504118233", "Contribuinte n.º [id]"),
        ("OIB: 48120097735", "OIB: [id]"),
    ] {
        check(text, ACME, text, expect);
    }
}

#[test]
fn no_ids() {
    for text in [
        "Job ID 10482934, Ref. 2026/114, Kennziffer 2026-117",
        "to FI31 3426 5787 1571 47 please, 2048449-6, DE278272467",
        "KRS 2026, číslo pozice 10482",
        "pay 4.500–5.200 lei, from 01.09.2026",
        "version 10.2.3, IP 192.168.0.1, TCP 8080",
    ] {
        check(text, ACME, text, text);
    }
}

#[test]
fn handles() {
    for (text, expect) in [
        ("Follow @brandtech_hq", "Follow [handle]"),
        ("Toot @brandtech@social.example", "Toot @[email]"),
        ("@AAA@aaA", "[handle]"),
        ("微信：zhaopin123", "微信：[handle]"),
        ("Telegram: @kedr_hr", "Telegram: [handle]"),
        ("Skype: pw.recruiting", "Skype: [handle]"),
        ("LINE ID：milcare_saiyo", "LINE ID：[handle]"),
        ("QQ：2849103775", "QQ：[handle]"),
    ] {
        check(text, ACME, text, expect);
    }
}

#[test]
fn mail_in_words() {
    for hidden in [
        "torunn krøllalfa bedrift punktum no",
        "praca małpa firma kropka pl",
        "rabota собака firma точка ru",
        "empleo arroba empresa punto es",
        "lavoro chiocciola azienda punto it",
        "allas kukac ceg pont hu",
        "kariera zavináč firma tečka cz",
        "satu.h miukumauku yritys piste fi",
        "tyo at-merkki yritys piste fi",
        "jobs apenstaartje bedrijf punt be",
        "hr (равлик) firma.example.ua",
        "karriere (at) firma (punkt) de",
    ] {
        check(hidden, ACME, &format!("An {hidden}!"), "An [email]!");
    }
}

#[test]
fn digits_of_other_scripts() {
    for (text, expect) in [
        ("جوال ٠٥٠١٢٣٤٥٦٧", "جوال [phone]"),
        ("電話 ０３－５３２１－７７８８", "電話 [phone]"),
        ("फ़ोन +९१ ९८१२३ ४५६७८", "फ़ोन [phone]"),
    ] {
        check(text, ACME, text, expect);
    }
}
