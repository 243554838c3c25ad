//! Compiles the store in domain's README as a separate crate, as a reader would paste it.

use std::fs;

use xtask::process::cargo;

use crate::ROOT;

/// The content of the first block of the README with this language.
fn block(language: &str) -> &'static str {
    let readme = include_str!("../../../domain/README.md");
    let (_, rest) = readme.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0
}

#[test]
fn the_store_in_the_readme_of_domain_compiles_as_pasted() {
    let root = fs::canonicalize(ROOT).unwrap();
    let folder = root.join("target/readme");
    let dependencies = block("toml").lines().map(|line| {
        let git = r#"git = "…", rev = "…""#;
        match line.split_once(" = {") {
            Some((name, _)) => {
                let path = root.join("crates").join(name);
                line.replace(git, &format!("path = {path:?}"))
            }
            None => line.to_owned(),
        }
    });
    let dependencies: Vec<_> = dependencies.collect();
    let manifest = format!(
        "[package]\nname = \"service\"\nedition = \"2024\"\n\n[workspace]\n\n{}\n",
        dependencies.join("\n")
    );
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::create_dir_all(folder.join("tests")).unwrap();
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    write("Cargo.toml", &manifest);
    write("src/lib.rs", "");
    write("tests/store.rs", block("rust,test_harness"));
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let store = block("rust,test_harness").lines().count();
    assert!(store <= 90, "the store in the README has {store} lines");
    let status = cargo()
        .args(["check", "--tests", "--offline", "--quiet", "--target-dir"])
        .arg(root.join("target"))
        .current_dir(&folder)
        .status()
        .unwrap();
    assert!(status.success(), "see the errors of cargo above");
}
