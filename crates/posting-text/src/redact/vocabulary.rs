//! Short lists of words: a text with spaces between them. Long ones are in `tables`.

/// Words that join the two parts of a name, like `&`.
pub(crate) const AND: [&str; 20] = [
    "and", "et", "und", "og", "och", "en", "y", "e", "i", "a", "és", "ja", "ir", "un", "ve", "și",
    "και", "и", "і", "та",
];

/// Words of two letters that begin sentences.
pub(crate) const TWO_LETTER_WORDS: &str = "\
    if go we is it us he me my no or so up be by do am as vi du er ta få bo gå nå ny ni så år ja \
    ou un tu il on ce wo es im to do ty my na po za od az ez és ha ma ne ve bu мы вы он но на по \
    за ми ти ви";

/// Acronyms of things, roles and places, not of companies.
pub(crate) const ACRONYMS: &str = "\
    SQL API CSS HTML XML AWS SAP CRM ERP SEO SEM CEO CTO CFO COO CIO CPO HR IT AI ML UX UI QA PR \
    PM PC TV USA UK EU UN US UAE GPS SMS PDF FAQ KPI ROI SLA NGO PhD MBA BSc MSc DSP SDK IDE CDI \
    CDD RTT CPA ETL IOT VPN DNS SSO CAD CAM GIS EHS HSE B2B B2C ISO DIN CNC PLC CV ID OK AB AS \
    SA SE NO DK DE FI FR ES PT NL BE PL CZ SK HU RO BG GR TR LT LV EE CH AT CA NY LA DC GB IE IN \
    CN JP KR IL TL KM KW KG CM MM PS VG SV NB OBS PBS PHP NET JSON REST RAM CPU LAN VAT IBAN BIC \
    GDPR DSGVO TVA TTC HT BTW MVA RH CHSCT CSE CNIL BTS BAC CAP DUT TP BTP PL VL SPL ADR FIMO \
    CACES SST TÜV VOB AGB BGB SGB LED LKW PKW VCA CAO ZZP MBO HBO WO AFAS HVAC VVS EL HMS NEK \
    TEK DNA PCR GMP GLP FDA EMA HACCP OSHA EOE EEO ADA PTO DOE ООО ЗАО ОАО АО ИП ПК ПО ТЦ ТК РФ \
    СНГ ДМС КПП ГСМ БД ИТ МВД ТЗ СУБД ФОП ТОВ ПДВ КЗПП ЄС ЕС МСФО ΑΕ ΕΕ ΑΦΜ ΙΚΑ ΦΠΑ PKP SEP UDT \
    BHP RODO ZUS OC AC BOZP DPP DPČ HPP ŘP EUR USD GBP NOK SEK DKK PLN CZK HUF TRY";

/// Words before a workplace. No place and no thing stands after them.
pub(crate) const AT_COMPANY: &str = "at join joining bei bij hos chez";

/// The words of a list.
pub(crate) fn listed(list: &str) -> impl Iterator<Item = &str> {
    list.split_ascii_whitespace()
}

/// Whether a list of words has this one.
pub(crate) fn is_among(list: &str, word: &str) -> bool {
    listed(list).any(|known| known == word)
}

/// Whether a text begins with a word of a list.
pub(crate) fn begins_with_one(list: &str, text: &str) -> bool {
    listed(list).any(|word| text.starts_with(word))
}

/// A text without the first word of a list that it ends with; `None` if it ends with none.
pub(crate) fn without_ending<'a>(list: &str, text: &'a str) -> Option<&'a str> {
    listed(list).find_map(|word| text.strip_suffix(word))
}
