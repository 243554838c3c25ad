//! Checks that no crate has a circle of imports between its modules.
//!
//! A module consists of parts: its own code, and each child module with all modules below it. An
//! arrow leads from one part to another if product code of the first part names an item that the
//! second part defines. Arrows between the parts of a module must not form a circle.
//!
//! - Naming a re-export counts as naming the definition. A `pub use` or `mod` is no arrow by
//!   itself.
//! - Method calls are not seen, but named types are. Macros without a `use` are not seen.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::{fs, slice};

use crate::source::{Module, Names, modules};
use crate::{assert_none, metadata};

/// The longest chain of imports that is followed. An import may refer to itself.
const MOST_IMPORTS: usize = 8;

struct Modules {
    all: BTreeMap<Names, Module>,
    /// Earlier results, because imports by `*` may form very many chains.
    found: RefCell<HashMap<(Names, Names, usize), Option<Found>>>,
}

#[derive(Clone)]
enum Found {
    Module(Names),
    ItemOf(Names),
}

/// A child module with all modules below, or the module's own code.
type Part<'a> = Option<&'a String>;

impl Modules {
    fn new(all: BTreeMap<Names, Module>) -> Self {
        let found = RefCell::default();
        Self { all, found }
    }

    /// Follows a path in the module `at`. Returns `None` for a path into another crate.
    fn follow(&self, at: &[String], path: &[String], imports: usize) -> Option<Found> {
        let ups = path.iter().take_while(|name| *name == "super").count();
        match path.first()?.as_str() {
            "crate" => self.descend(&[], &path[1..], imports),
            "self" => self.descend(at, &path[1..], imports),
            "super" => self.descend(&at[..at.len().checked_sub(ups)?], &path[ups..], imports),
            _ => self.find(at, path, imports),
        }
    }

    fn descend(&self, at: &[String], path: &[String], imports: usize) -> Option<Found> {
        let module = self.all.get(at)?;
        let Some(name) = path.first() else {
            return Some(Found::Module(at.to_vec()));
        };
        let is_of_others = module.imports.iter().any(|(import, _)| import == name)
            || self.all.contains_key(&[at, slice::from_ref(name)].concat());
        // A macro defines the names that are not found.
        let unseen = || (!is_of_others).then(|| Found::ItemOf(at.to_vec()));
        self.find(at, path, imports).or_else(unseen)
    }

    fn find(&self, at: &[String], path: &[String], imports: usize) -> Option<Found> {
        let key = (at.to_vec(), path.to_vec(), imports);
        if let Some(found) = self.found.borrow().get(&key) {
            return found.clone();
        }
        let found = self.look(at, path, imports);
        self.found.borrow_mut().insert(key, found.clone());
        found
    }

    fn look(&self, at: &[String], path: &[String], imports: usize) -> Option<Found> {
        let (module, (name, rest)) = (self.all.get(at)?, path.split_first()?);
        let imported = |wanted: &str, then: &dyn Fn(&Names) -> Option<Found>| {
            let named = module.imports.iter().filter(|(name, _)| name == wanted);
            let mut followed = named.take_while(|_| imports < MOST_IMPORTS);
            followed.find_map(|(_, path)| then(path))
        };
        let child = || self.descend(&[at, slice::from_ref(name)].concat(), rest, imports);
        let item = || (module.items.contains(name)).then(|| Found::ItemOf(at.to_vec()));
        let import = || {
            let follow = |import: &Names| self.follow(at, &[import, rest].concat(), imports + 1);
            imported(name, &follow)
        };
        let by_star = || {
            let look = |star: &Names| match self.follow(at, star, imports + 1)? {
                Found::Module(module) => self.find(&module, path, imports + 1),
                Found::ItemOf(_) => None,
            };
            imported("*", &look)
        };
        if rest.is_empty() {
            // An item may have the name of a module.
            let is_item = |found: &Found| matches!(found, Found::ItemOf(_));
            let found = import().filter(is_item).or_else(item);
            found.or_else(by_star).or_else(child)
        } else {
            child().or_else(import).or_else(item).or_else(by_star)
        }
    }

    fn violations(&self) -> Vec<String> {
        let mut violations = BTreeSet::new();
        let mut arrows = BTreeMap::<(&[String], Part<'_>), BTreeMap<Part<'_>, String>>::new();
        for (at, module) in &self.all {
            for (path, is_public) in &module.paths {
                if let Some(Found::ItemOf(to)) = self.follow(at, path, 0)
                    && to != *at
                    && !(*is_public && to.starts_with(at))
                {
                    let common = at.iter().zip(&to).take_while(|(a, b)| a == b).count();
                    let to = self.all.get_key_value(&to).unwrap().0.get(common);
                    let from = arrows.entry((&at[..common], at.get(common))).or_default();
                    let example = || format!("{} names {}", shown(at), path.join("::"));
                    from.entry(to).or_insert_with(example);
                }
            }
        }
        for ((whole, from), targets) in &arrows {
            for (to, example) in targets {
                let (mut reached, mut next) = (BTreeSet::new(), vec![*to]);
                while let Some(part) = next.pop() {
                    if reached.insert(part) {
                        let onwards = arrows.get(&(*whole, part));
                        next.extend(onwards.into_iter().flat_map(BTreeMap::keys));
                    }
                }
                if reached.contains(from) {
                    let [from, to] = [from, to].map(|part| part.map_or("itself", String::as_str));
                    let whole = shown(whole);
                    violations.insert(format!("in {whole}, {from} -> {to}: {example}"));
                }
            }
        }
        violations.into_iter().collect()
    }
}

fn shown(module: &[String]) -> String {
    [&["crate".to_owned()], module].concat().join("::")
}

#[test]
fn no_crate_has_a_circle_between_its_modules() {
    let mut violations = Vec::new();
    let packages = metadata();
    let targets = packages.workspace_packages();
    let targets = targets.iter().flat_map(|package| &package.targets);
    for target in targets.filter(|target| target.is_lib() || target.is_bin()) {
        let source = |path: &[String]| {
            let module = target.src_path.with_file_name(path.join("/"));
            let places = match path {
                [] => [target.src_path.clone(), module],
                _ => [module.with_extension("rs"), module.join("mod.rs")],
            };
            let text = places
                .iter()
                .find_map(|place| fs::read_to_string(place).ok());
            text.unwrap().parse().unwrap()
        };
        let found = Modules::new(modules(source)).violations();
        let found = found.iter().map(|it| format!("{}: {it}", target.name));
        violations.extend(found);
    }
    assert_none(&violations);
}

fn violations(sources: &[(&str, &str)]) -> Vec<String> {
    let source = |path: &[String]| {
        let path = path.join("::");
        let (_, text) = sources.iter().find(|(name, _)| *name == path).unwrap();
        text.parse().unwrap()
    };
    Modules::new(modules(source)).violations()
}

#[test]
fn a_circle_that_is_put_in_is_found() {
    let with = |a: &'static str, b: &'static str, b_c: &'static str| {
        let root = "mod a; pub mod b; pub use b::{Shared, c::*}; struct Root;";
        let count = violations(&[("", root), ("a", a), ("b", b), ("b::c", b_c)]).len();
        assert_eq!(count % 2, 0, "{a} {b} {b_c}");
        count / 2
    };
    let b = "mod c; pub use self::c::Deep; pub struct Shared;";
    let c = "pub struct Deep; pub mod inside { pub fn run() {} }";
    // Only the place of the definition counts, not the way to it.
    assert_eq!(
        with(
            "use crate::Shared; fn f() { crate::b::c::inside::run() }",
            b,
            c
        ),
        0
    );
    for back in [
        "use crate::a::f;",
        "pub use crate::a::f as g;",
        "use crate::{a, Deep}; fn g() { a::f() }",
        "fn g() { super::super::a::f() }",
        "struct S { field: Vec<crate::a::T> }",
        "fn g() { println!(\"{}\", crate::a::f()); }",
        "macro_rules! g { () => { $crate::a::f() } }",
    ] {
        let c = [c, back].concat().leak();
        assert_eq!(
            with("use crate::Shared; pub fn f() {} pub struct T;", b, c),
            1,
            "{back}"
        );
    }
    for fine in [
        "#[cfg(test)] use crate::a::f;",
        "#[cfg(test)] mod tests { use crate::a::f; }",
        "use crate::a;",
        "use std::fmt; fn g() { fmt::a() }",
    ] {
        let c = [c, fine].concat().leak();
        assert_eq!(with("use crate::Shared; pub fn f() {}", b, c), 0, "{fine}");
    }
    assert_eq!(
        with(
            "",
            "mod c; fn f() { c::g() } pub struct Shared;",
            "pub fn g() {}"
        ),
        0
    );
    let up = "pub fn g() {} fn h(_: super::Shared) {}";
    assert_eq!(
        with("", "mod c; fn f() { c::g() } pub struct Shared;", up),
        1
    );
    assert_eq!(with("", "mod c; pub use c::g; pub struct Shared;", up), 0);
}
