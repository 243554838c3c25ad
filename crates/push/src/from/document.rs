use jaq_json::Val;

pub struct Document {
    pub line: Option<u64>,
    pub value: Result<Val, String>,
}

pub type Each<'a> = &'a mut dyn FnMut(Document) -> anyhow::Result<()>;
