//! Reads the modules of a crate as tokens: the names that each module defines and imports, and the
//! paths in its product code, also in arguments of macros.

use std::collections::{BTreeMap, BTreeSet};
use std::slice;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

pub type Names = Vec<String>;

const ITEMS: &[&str] = &[
    "const", "enum", "fn", "static", "struct", "trait", "type", "union",
];

#[derive(Default)]
pub struct Module {
    pub items: BTreeSet<String>,
    /// Imports by their local names, `*` for glob imports.
    pub imports: Vec<(String, Names)>,
    pub paths: BTreeSet<(Names, bool)>,
    macros: Vec<String>,
    children: Vec<(String, Option<TokenStream>)>,
}

pub fn modules(source: impl Fn(&[String]) -> TokenStream) -> BTreeMap<Names, Module> {
    let mut modules = BTreeMap::<_, Module>::new();
    let mut macros = Vec::new();
    let mut unread = vec![(Names::new(), source(&[]))];
    while let Some((at, stream)) = unread.pop() {
        let mut module = Module::default();
        module.read(stream, true);
        let below = |name: &String| [&at[..], slice::from_ref(name)].concat();
        for (name, inline) in module.children.drain(..) {
            let stream = inline.unwrap_or_else(|| source(&below(&name)));
            unread.push((below(&name), stream));
        }
        macros.extend(
            module
                .macros
                .drain(..)
                .map(|name| (name.clone(), below(&name))),
        );
        modules.insert(at, module);
    }
    // Exported macros are named as if the root defined them.
    let root = modules.entry(Names::new()).or_default();
    root.imports.extend(macros);
    modules
}

impl Module {
    fn read(&mut self, stream: TokenStream, is_outermost: bool) {
        let tokens: Vec<_> = stream.into_iter().collect();
        let word = |at: usize| match tokens.get(at) {
            Some(TokenTree::Ident(word)) => word.to_string(),
            Some(TokenTree::Punct(sign)) => sign.to_string(),
            _ => String::new(),
        };
        let is_name = |at: usize| matches!(tokens.get(at), Some(TokenTree::Ident(_)));
        let is_separator = |at: usize| word(at) == ":" && word(at + 1) == ":";
        let end = |at: usize, is_end: &dyn Fn(usize) -> bool| {
            (at..tokens.len())
                .find(|at| is_end(*at))
                .unwrap_or(tokens.len())
        };
        let mut at = 0;
        while at < tokens.len() {
            let (first, before) = (at, at.checked_sub(1).map_or(String::new(), word));
            at += 1;
            match (&tokens[first], word(first).as_str()) {
                (TokenTree::Group(group), _)
                    if before == "#" && is_for_tests(&group.to_string()) =>
                {
                    let is_end = |at| word(at) == ";" || is_braced(&tokens[at]);
                    at = end(at, &is_end) + 1;
                    at += usize::from(word(at) == ";");
                }
                (TokenTree::Group(group), _) => self.read(group.stream(), false),
                (TokenTree::Ident(_), "use") if word(at) != "<" => {
                    let uses = at..end(at, &|at| word(at) == ";");
                    at = uses.end;
                    let is_public = before == "pub" || first > 1 && word(first - 2) == "pub";
                    self.import(&tokens[uses], &[], is_public);
                }
                (TokenTree::Ident(_), "mod") if is_outermost => {
                    let inline = match tokens.get(at + 1) {
                        Some(TokenTree::Group(group)) => Some(group.stream()),
                        _ => None,
                    };
                    self.children.push((word(at), inline));
                    at += 2;
                }
                (TokenTree::Ident(_), "macro_rules") => {
                    self.items.insert(word(at + 1));
                    self.macros.push(word(at + 1));
                    at += 2;
                }
                // The arguments of a macro may define types. A function in a group is a method.
                (TokenTree::Ident(_), kind)
                    if ITEMS.contains(&kind) && (is_outermost || kind != "fn") =>
                {
                    self.items.insert(word(at));
                }
                (TokenTree::Ident(_), name)
                    if !([".", "'"].contains(&before.as_str())
                        || first > 1 && is_separator(first - 2)) =>
                {
                    let mut path = vec![name.to_owned()];
                    while is_separator(at) && is_name(at + 2) {
                        path.push(word(at + 2));
                        at += 3;
                    }
                    self.paths.insert((path, false));
                }
                _ => {}
            }
        }
    }

    /// Reads the tokens between `use` and its semicolon, or a group in braces.
    fn import(&mut self, trees: &[TokenTree], start: &[String], is_public: bool) {
        let is_comma = |token: &TokenTree| token.to_string() == ",";
        for tree in trees.split(is_comma) {
            let (mut path, mut name) = (start.to_vec(), None);
            for token in tree {
                match (token, token.to_string().as_str()) {
                    (TokenTree::Group(group), _) => {
                        let trees: Vec<_> = group.stream().into_iter().collect();
                        self.import(&trees, &path, is_public);
                        path.clear();
                    }
                    (_, "*" | "as") => name = Some("*".to_owned()),
                    (TokenTree::Ident(_), word) if name.is_some() => name = Some(word.to_owned()),
                    (TokenTree::Ident(_), word) if word != "self" || path.is_empty() => {
                        path.push(word.to_owned());
                    }
                    _ => {}
                }
            }
            if let Some(last) = path.last() {
                let name = name.unwrap_or_else(|| last.clone());
                self.imports.push((name, path.clone()));
                self.paths.insert((path, is_public));
            }
        }
    }
}

fn is_for_tests(attribute: &str) -> bool {
    attribute.replace(' ', "").starts_with("[cfg(") && attribute.contains("test")
}

fn is_braced(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}
