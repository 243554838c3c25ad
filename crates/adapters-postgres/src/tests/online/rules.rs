//! The rules for migrations that are applied while the previous version pushes.

use std::{fs, path::Path};

/// With this statement, a migration declares which programs can use the schema.
const SAYS_WHAT_IT_NEEDS: &str = "update schema_compatibility set needs";

fn broken(sql: &str, runs_in_transaction: bool) -> Vec<&'static str> {
    let lines = sql.lines().map(|line| line.split("--").next());
    let text = lines.flatten().collect::<Vec<_>>().join(" ").to_lowercase();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let statements: Vec<_> = words.split(';').map(str::trim).collect();
    let statements = statements.into_iter().filter(|it| !it.is_empty());
    let says_what_it_needs = words.contains(SAYS_WHAT_IT_NEEDS);
    // A table that the migration itself creates may be filled, indexed and constrained.
    let is_new = |statement: &str, before: &str| {
        let table = statement.split(before).nth(1).unwrap_or_default();
        let table = table.split([' ', '(']).next().unwrap_or_default();
        words.contains(&format!("create table {table} "))
    };
    let has = |statement: &str, any: &[&str]| any.iter().any(|part| statement.contains(part));
    let mut broken = Vec::new();
    for it in statements {
        let is_index = it.starts_with("create index") || it.starts_with("create unique index");
        if is_index && !it.contains(" concurrently ") && !is_new(it, " on ") {
            broken.push("an index of a table in use is built CONCURRENTLY");
        }
        if it.contains(" concurrently ") && runs_in_transaction {
            broken.push("what is CONCURRENTLY has metadata.toml with run_in_transaction = false");
        }
        if it.starts_with("alter table") && !is_new(it, "alter table ") {
            if it.contains(" not null") && !it.contains(" default ") {
                broken.push("a new column may be NULL or has a DEFAULT");
            }
            if has(
                it,
                &[
                    " add constraint ",
                    " add check",
                    " references ",
                    " add foreign",
                ],
            ) && !it.contains(" not valid")
            {
                broken.push("a constraint is NOT VALID at first");
            }
            if has(it, &[" type ", " rename "]) {
                broken.push("a column keeps its type and its name");
            }
        }
        if has(it, &["drop column", "drop table", "drop view"]) && !says_what_it_needs {
            broken.push("what drops something says in schema_compatibility what it needs");
        }
        let is_filled = it.starts_with("delete from") || it.starts_with("update ");
        if is_filled && !it.starts_with(SAYS_WHAT_IT_NEEDS) {
            broken.push("rows are filled by a worker, in bites");
        }
    }
    broken
}

#[test]
fn every_migration_can_be_applied_while_others_push() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/postgres");
    for migration in fs::read_dir(&folder).unwrap() {
        let path = migration.unwrap().path();
        let sql = fs::read_to_string(path.join("up.sql")).unwrap();
        let metadata = fs::read_to_string(path.join("metadata.toml")).unwrap_or_default();
        let runs_in_transaction = !metadata.contains("run_in_transaction = false");
        let broken = broken(&sql, runs_in_transaction);
        assert_eq!(broken, Vec::<&str>::new(), "{}", path.display());
    }
}

#[test]
fn what_would_stop_pushes_is_found() {
    for fine in [
        "ALTER TABLE postings ADD COLUMN note text; -- DROP TABLE postings",
        "ALTER TABLE postings ADD COLUMN note text NOT NULL DEFAULT ''",
        "ALTER TABLE postings ADD CONSTRAINT a CHECK (note <> '') NOT VALID",
        "CREATE TABLE notes (id uuid NOT NULL); CREATE INDEX notes_by_id ON notes (id); \
         INSERT INTO notes VALUES ('a')",
        "UPDATE schema_compatibility SET needs = '1'; ALTER TABLE postings DROP COLUMN note",
    ] {
        assert_eq!(broken(fine, true), Vec::<&str>::new(), "{fine}");
    }
    let refused = "
        CREATE INDEX a ON postings (note) -- CONCURRENTLY
        CREATE UNIQUE INDEX a ON postings (note) -- CONCURRENTLY
        CREATE INDEX CONCURRENTLY a ON postings (note) -- metadata.toml
        ALTER TABLE postings ADD COLUMN note text NOT NULL -- DEFAULT
        ALTER TABLE postings ALTER COLUMN note SET NOT NULL -- DEFAULT
        ALTER TABLE postings ADD CHECK (note <> '') -- NOT VALID
        ALTER TABLE postings ADD COLUMN a uuid REFERENCES b -- NOT VALID
        ALTER TABLE postings ALTER COLUMN note TYPE int -- type
        ALTER TABLE postings RENAME note TO remark -- name
        ALTER TABLE postings DROP COLUMN note -- needs
        DROP TABLE notes -- needs
        UPDATE postings SET note = '' -- worker
        DELETE FROM postings -- worker";
    for (bad, word) in refused.lines().filter_map(|line| line.split_once(" -- ")) {
        let found = broken(bad, true);
        assert!(
            found.len() == 1 && found[0].contains(word),
            "{bad}: {found:?}"
        );
    }
}
