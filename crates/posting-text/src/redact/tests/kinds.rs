//! Persons, street addresses, register numbers and handles, and what only looks like them.

use super::{ACME, check, check_cases};

#[test]
fn persons() {
    check_cases(&[
        "Contact: {n:Laura McKinnon}, {p:+1 208 555 0147}",
        "Ihre Ansprechpartnerin ist Frau {n:Katharina Seidlmayer}.",
        "Spørsmål rettes til seksjonsleder {n:Torunn Ekeland}, mobil {p:934 21 608}",
        "Zadzwoń do pana {n:Tomasza Zielonki}: {p:+48 501 234 567}",
        "Звоните {n:Сергею Петровичу}: {p:8-927-123-45-67}",
        "Kérdések: {n:Nagy Péter}",
        "担当：{n:田中 健一}",
        "联系人：{n:张先生}",
        "or HR Advisor {n:Kari Hansen}, {p:55 21 40 17}.",
        "Des questions ? Contactez {n:Marie} au {p:06 12 34 56 78}.",
        "담당자: {n:이수진}",
        "איש קשר: {n:דוד אוחיון}, נייד",
        "{e:berg.nilo@x.org} ({n:Xandra Berg})",
    ]);
}

#[test]
fn persons_whom_no_table_knows() {
    check_cases(&[
        "Spør avdelingsdirektør {n:Tormund Vikfjell}, tlf. {p:62 51 09 44}.",
        "Speak to {n:Zorah Quillfeather} on {p:+44 141 496 0388}.",
        "Contact {n:Ozric Thistlewood}, Principal Engineer, tel. {p:01632 960 844}.",
        "Chiama {n:Fiorlinda Grezzani}: {p:+39 347 005 1128}",
        "Rašyk {n:Gintvydei} {h:Vaičiūtei @gintvyde_hr}",
        "eller ring {n:Oddmar} på {p:+47 915 20 634}.",
        "Dział kadr: {n:Wszebor Zagłoba}, {p:(32) 230 11 54}.",
        "Обращаться: {n:Коростелёва Нина Павловна}, {p:8 8172 55-04-19}.",
        "שלחו ל{n:נועם ליפשיץ}: {e:jobs@x.org}",
        "Zovite {n:Ante Škarica}: {p:023 550 118}",
        "（採用係 {n:水野さゆり}）",
        "手机 {p:138 0555 0167}，找{n:罗经理}",
        "휴대폰 {p:010-5550-0146} ({n:정하늘} 점장)",
    ]);
}

#[test]
fn no_persons_beside_contacts() {
    check_cases(&[
        "Chave Pix: {e:rh@x.org.br}",
        "Telefon Zentrale: {p:0561 998341}",
        "Call our Customer Service Desk, {p:+44 141 496 0388}",
        "Ring HR på {p:62 51 09 44}, eller skriv.",
    ]);
}

#[test]
fn no_persons() {
    check_cases(&[
        "Contact: Human Resources Department",
        "Frau/Herr (m/w/d) mit Mag. oder Dipl.-Ing.",
        "You report to the Director of Finance in Boise, Idaho.",
        "Ask our Customer Service for help",
        "The work of Albert Einstein and Marie Curie",
        "Fragen zur Stelle? Wir antworten gern.",
        "You will contact customers in North America.",
    ]);
}

#[test]
fn addresses() {
    check_cases(&[
        "at {a:14 Kirkgate Lane}, Leeds",
        "{a:2250 W Harbor Blvd, Suite 310}, Boise",
        "{a:Wolfhager Straße 118a, 34127} Kassel",
        "{a:Kopparbergsvägen 23 B} i Västerås",
        "{a:27 bis, rue des Tanneries} à Dijon",
        "{a:ul. Długa 5} w Gdańsku",
        "{a:Via Borgo Palazzo, 114}, Bergamo",
        "{a:Rua da Alegria, n.º 19}, Covilhã",
        "{a:пр-т Ленина, 48, корп. 2}, Самара",
        "{a:Kandó Kálmán utca 11/B}, Győr",
        "Διεύθυνση: {a:Δημητριάδος 214}, Βόλος",
        "上海市浦东新区{a:张江路88号3幢201室}",
        "부산광역시 사하구 {a:다대로 114}",
        "{a:شارع الشيخ زايد، مبنى 14}، دبي",
        "{a:27 شارع طلعت حرب، الدور الثالث}، القاهرة",
        "{a:Sct. Mathias Gade 44, 1. sal} i Viborg",
        "{a:Baross Gábor út 22. II/4}. Győr",
        "{a:Gran Vía 61, 3.º izda}., Bilbao",
        "{a:C/ Predicadores, 88}, Zaragoza",
        "Siamo in {a:via Vecchia Frigole 210/A}.",
        "{a:Corso Vittorio Emanuele II, 88/bis}, Torino",
        "Najdeš nás: {a:U Bazénu 1177/3}",
        "Tel. {p:+48 605 118 240}, {a:Narutowicza 14}.",
        "北京市朝阳区{a:东三环北路甲26号博瑞大厦8层}",
        "창원시 성산구 {a:공단로 518번길 22}",
    ]);
}

#[test]
fn no_addresses() {
    check_cases(&[
        "You work in 34127 Kassel, Oslo or Västerås.",
        "ISO 9001, DIN EN 1090-2, § 5 Abs. 2, DK 127 str. 2 d.",
        "40 hours, 5 days, 25 holidays, level C2",
        "On the way to 2030, a place for 12 people",
        "Schicht 3 am Standort 2 der Gruppe 4",
        "Route 66, Formula 1, Boeing 737, Java 17, Level 3 Support",
        "Via Teams 2 volte, Art. 2103 c.c., D.Lgs. 81/2008",
        "På väg 40 till 2030, Hall 4, Az. 4 C 12/20",
        "Platová třída 9, tarifní třída 12",
    ]);
}

#[test]
fn ids() {
    check_cases(&[
        "NIP {i:819-093-78-65}, KRS: {i:0000412905}",
        "Org.nr. {i:942 486 111 MVA}",
        "SIRET {i:512 014 044 82111}",
        "{i:HRB 14502} (Amtsgericht Kassel)",
        "USt-IdNr. {i:DE278272466}",
        "IBAN {i:AT09 3678 0512 2143 1883}",
        "to {i:FI30 3426 5787 1571 47} please",
        "business {i:2048449-5}",
        "ИНН {i:7795827852}, ОГРН: {i:1605069907980}",
        "法人番号：{i:4932461061041}",
        "C.F. {i:RGMPLA75H12L219K}",
        "company no. {i:OC398211}",
        "{i:PR 1187} Amtsgericht Kassel",
        "Contribuinte n.º {i:504118233}",
        "OIB: {i:48120097735}",
    ]);
}

#[test]
fn no_ids() {
    check_cases(&[
        "Job ID 10482934, Ref. 2026/114, Kennziffer 2026-117",
        "to FI31 3426 5787 1571 47 please, 2048449-6, DE278272467",
        "KRS 2026, číslo pozice 10482",
        "pay 4.500–5.200 lei, from 01.09.2026",
        "version 10.2.3, IP 192.168.0.1, TCP 8080",
    ]);
}

#[test]
fn handles() {
    check_cases(&[
        "Follow {h:@brandtech_hq}",
        "Toot @{e:brandtech@social.example}",
        "{h:@AAA@aaA}",
        "微信：{h:zhaopin123}",
        "Telegram: {h:@kedr_hr}",
        "Skype: {h:pw.recruiting}",
        "LINE ID：{h:milcare_saiyo}",
        "QQ：{h:2849103775}",
    ]);
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
        check(ACME, &format!("An {hidden}!"), "An [email]!");
    }
}

#[test]
fn digits_of_other_scripts() {
    check_cases(&[
        "جوال {p:٠٥٠١٢٣٤٥٦٧}",
        "電話 {p:０３－５３２１－７７８８}",
        "फ़ोन {p:+९१ ९८१२३ ४५६७८}",
    ]);
}
