//! All statements of a program, for tests of their texts, plans and row types.

use crate::{
    dialect::Dialect,
    sql::{Text, Texts},
};

#[derive(Debug)]
pub struct Listed {
    pub name: &'static str,
    pub texts: fn() -> &'static Texts,
    row: Option<fn() -> &'static str>,
}

impl Listed {
    pub const fn new(
        name: &'static str,
        texts: fn() -> &'static Texts,
        row: Option<fn() -> &'static str>,
    ) -> Self {
        Self { name, texts, row }
    }

    /// The expanded text, with the names of its values. Empty if the database has no such text.
    pub fn text(&self, dialect: Dialect) -> String {
        let Text { first, rest } = (self.texts)().of(dialect);
        if first.is_empty() {
            return String::new();
        }
        let rest = rest.iter().map(|(name, text)| format!(":{name}{text}"));
        format!("-- {}\n{first}{};\n", self.name, rest.collect::<String>())
    }

    /// The SQL types of a row, without `Nullable`; `None` if the statement returns no rows.
    pub fn row(&self) -> Option<Vec<&'static str>> {
        let paths = (self.row?)().split(['(', ')', ',', ' ', '<', '>']);
        let names = paths.filter_map(|path| path.rsplit("::").next());
        Some(names.filter(|it| !matches!(*it, "" | "Nullable")).collect())
    }
}

pub fn listed() -> impl Iterator<Item = &'static Listed> {
    inventory::iter::<Listed>.into_iter()
}

pub use inventory;

inventory::collect!(Listed);

pub fn statements(dialect: Dialect) -> impl Iterator<Item = (&'static str, String)> {
    let texts = listed().map(move |it| (it.name, (it.texts)().of(dialect).with_marks()));
    texts.filter(|(_, text)| !text.is_empty())
}

/// The statement whose name has this ending.
pub fn named(dialect: Dialect, name: &str) -> String {
    let end = format!("::{name}");
    let mut found = statements(dialect).filter(|(name, _)| format!("::{name}").ends_with(&end));
    match (found.next(), found.next()) {
        (Some((_, text)), None) => text,
        found => panic!("{name}: {found:?}"),
    }
}

#[macro_export]
macro_rules! listed {
    ($name:ident $(, $row:ty)?) => {
        $crate::testing::statements::inventory::submit! {
            $crate::testing::statements::Listed::new(
                concat!(module_path!(), "::", stringify!($name)),
                <$name as $crate::sql::Sql>::texts,
                $crate::row_of!($($row)?),
            )
        }
    };
}

#[macro_export]
macro_rules! row_of {
    () => {
        None
    };
    ($row:ty) => {
        Some(std::any::type_name::<$row>)
    };
}
