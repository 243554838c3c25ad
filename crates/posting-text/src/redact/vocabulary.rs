//! Short lists of words around names. Legal forms and ordinary words are in `tables`.

/// Words before or after a name that belong to it no more than a legal form: groups.
pub(crate) const AFFIXES: &str = "group groupe gruppe gruppen groep grupo gruppo holding holdings \
    konzern koncernen konsern konsernet société societe firma the grupa skupina koncern konserni \
    csoport grubu grup όμιλος группа група концерн grupė grupp kontsern";

/// Partners, associates and relatives at the end of a firm's name.
pub(crate) const PARTNERS: &str = "\
    partner partners partneři partneri partnerzy partnere partnerek partneriai partnerji associates \
    associés associées asociados asociadas associados associadas associati soci socios sócios \
    asociații asociaţii wspólnicy wspólnik společníci spoločníci társai társa ortakları ortaklari \
    συνεργάτες συνέταιροι партнёры партнеры партнери сыновья сини синове sons brothers söhne sohn \
    zonen zoon zn zns fils hijos filhos figli fratelli synové synovia synowie sinovi fiai pojat poika \
    sønner söner ושות ושותפיו ובניו ומשותפים ومشاركوه وشركاه وشركاؤه وأولاده وأبناؤه";

/// Small words that acronyms leave out.
pub(crate) const SMALL_WORDS: &str = "\
    il lo gli uno una un ein eine ett det den az egy of the and for to in on at a an de du des \
    la le les l d et en au aux pour sur für und der die das von im og i av och för el los las y \
    do da dos e di del van het een ten ter op am zum zur vom a w z na pro pre pod u v ve s se és \
    ja & ir un și e та ja и в на для по з і та у και του της των στο ve ile ו של في من";

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

/// Whether a list of words has this one.
pub(crate) fn is_among(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|listed| listed == word)
}
