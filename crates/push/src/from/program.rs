use cli::misconfigured::Misconfigured;
use jaq_core::{
    Ctx, Exn, Vars,
    data::JustLut,
    load,
    load::{Arena, File, Loader},
};
use jaq_json::Val;

/// Filters that every program can call, besides jq's own.
pub const PRELUDE: &str = include_str!("prelude.jq");
/// The beginning of the program's line that selects the items.
const ITEMS: &str = "# items: ";
const ELEMENTS: &str = "if type == \"array\" then .[] else . end";

type Filter = jaq_core::Filter<JustLut<Val>>;

pub struct Program {
    items: Filter,
    lines: Filter,
}

impl Program {
    pub fn new(name: &str, text: &str) -> Result<Self, Misconfigured> {
        let items: String = text
            .lines()
            .filter_map(|line| line.strip_prefix(ITEMS))
            .collect::<Vec<_>>()
            .join("\n");
        let items = if items.is_empty() { ELEMENTS } else { &items };
        Ok(Self {
            items: compile(&format!("the items of {name}"), items)?,
            lines: compile(name, text)?,
        })
    }

    pub fn items(&self, document: Val) -> impl Iterator<Item = Result<Val, String>> {
        run(&self.items, document)
    }

    pub fn lines(&self, item: Val) -> impl Iterator<Item = Result<Val, String>> {
        run(&self.lines, item)
    }
}

fn compile(name: &str, code: &str) -> Result<Filter, Misconfigured> {
    let prelude = load::parse(PRELUDE, |parser| parser.defs()).unwrap_or_default();
    let defs = jaq_core::defs()
        .chain(jaq_std::defs())
        .chain(jaq_json::defs())
        .chain(prelude);
    let funs = jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs());
    let arena = Arena::default();
    let modules = match Loader::new(defs).load(&arena, File { code, path: () }) {
        Ok(modules) => modules,
        Err(errors) => {
            let error = errors.first().map(|(_, error)| match error {
                load::Error::Io(errors) => errors.first().map(|(at, why)| (*at, why.clone())),
                load::Error::Lex(errors) => errors
                    .first()
                    .map(|(expected, at)| (*at, format!("{} is missing", expected.as_str()))),
                load::Error::Parse(errors) => errors
                    .first()
                    .map(|(expected, at)| (*at, format!("{} is expected", expected.as_str()))),
            });
            return Err(problem(name, code, error.flatten()));
        }
    };
    match jaq_core::Compiler::default()
        .with_funs(funs)
        .compile(modules)
    {
        Ok(filter) => Ok(filter),
        Err(errors) => {
            let error = errors.first().and_then(|(_, errors)| errors.first());
            let error =
                error.map(|(at, kind)| (*at, format!("this {} is not defined", kind.as_str())));
            Err(problem(name, code, error))
        }
    }
}

/// Describes an error of the program. The first text of `error` is a part of `code`.
fn problem(name: &str, code: &str, error: Option<(&str, String)>) -> Misconfigured {
    let Some((at, why)) = error else {
        return Misconfigured(format!(
            "--from: {name} is no program in the language of jq"
        ));
    };
    let offset = (at.as_ptr() as usize).checked_sub(code.as_ptr() as usize);
    let before = offset.and_then(|offset| code.get(..offset));
    let line = before.map_or(1, |before| before.lines().count().max(1));
    let shown: String = at
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(40)
        .collect();
    Misconfigured(format!("--from: {name}, line {line}, at `{shown}`: {why}"))
}

fn run(filter: &Filter, input: Val) -> impl Iterator<Item = Result<Val, String>> {
    let context = Ctx::<JustLut<Val>>::new(&filter.lut, Vars::new([]));
    filter.id.run((context, input)).map(|output| {
        output.map_err(|raised: Exn<'_, Val>| match raised.get_err() {
            Ok(error) => match error.into_val() {
                Val::TStr(text) => String::from_utf8_lossy(&text).into_owned(),
                other => other.to_string(),
            },
            Err(_) => "the program halts".to_owned(),
        })
    })
}
