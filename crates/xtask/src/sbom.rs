//! The bill of materials of a build: every crate that is compiled into the program, as `CycloneDX`
//! JSON.
//!
//! It has neither a time nor a serial number, so that the same sources give the same file.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};
use serde_json::{Value, json};

/// The package of the program.
const PROGRAM: &str = "app";

/// The bill of the program of a workspace, for the system that this one is.
pub fn of(root: &Path, host: &str) -> Result<Value> {
    let metadata = MetadataCommand::new()
        .current_dir(root)
        .features(cargo_metadata::CargoOpt::AllFeatures)
        .other_options(["--locked".to_owned(), format!("--filter-platform={host}")])
        .exec()?;
    let lock = fs::read_to_string(root.join("Cargo.lock"))?;
    bill(&metadata, &checksums(&lock))
}

/// The checksums of a lock file, by name and version.
fn checksums(lock: &str) -> BTreeMap<(&str, &str), &str> {
    let packages = lock.split("[[package]]").skip(1);
    let checksums = packages.filter_map(|package| {
        let value = |key: &str| {
            let line = package.lines().find(|line| line.starts_with(key))?;
            line.split('"').nth(1)
        };
        Some((
            (value("name = ")?, value("version = ")?),
            value("checksum = ")?,
        ))
    });
    checksums.collect()
}

fn bill(metadata: &Metadata, checksums: &BTreeMap<(&str, &str), &str>) -> Result<Value> {
    let is_program = |package: &&Package| package.name.as_str() == PROGRAM;
    let program = metadata.packages.iter().find(is_program);
    let program = program.with_context(|| format!("there is no package {PROGRAM}"))?;
    let uses = dependencies(metadata, &program.id)?;
    let packages = metadata.packages.iter();
    let packages: BTreeMap<_, _> = packages.map(|package| (&package.id, package)).collect();
    let reference = |id: &PackageId| packages.get(id).map(|package| purl(package));

    let mut components: Vec<_> = uses
        .keys()
        .filter(|id| **id != &program.id)
        .filter_map(|id| packages.get(*id))
        .collect();
    components.sort_by_key(|package| (&package.name, &package.version));
    let components: Vec<_> = components
        .into_iter()
        .map(|package| component(package, "library", checksums))
        .collect();
    let mut dependencies: Vec<_> = uses
        .iter()
        .map(|(id, of)| {
            let on: BTreeSet<_> = of.iter().filter_map(|id| reference(id)).collect();
            (reference(id), on)
        })
        .collect();
    dependencies.sort();
    let dependencies: Vec<_> = dependencies
        .into_iter()
        .map(|(of, on)| json!({"ref": of, "dependsOn": on}))
        .collect();
    let mut subject = component(program, "application", checksums);
    subject["name"] = json!("posthaste");
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": subject},
        "components": components,
        "dependencies": dependencies,
    }))
}

/// The packages that a program is made of, each with those that it depends on. Dependencies of
/// tests and of build scripts are not in the program.
fn dependencies<'a>(
    metadata: &'a Metadata,
    program: &'a PackageId,
) -> Result<BTreeMap<&'a PackageId, Vec<&'a PackageId>>> {
    let resolve = metadata.resolve.as_ref().context("nothing is resolved")?;
    let nodes: BTreeMap<_, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let (mut found, mut waiting) = (BTreeMap::new(), vec![program]);
    while let Some(id) = waiting.pop() {
        if found.contains_key(id) {
            continue;
        }
        let node = nodes
            .get(id)
            .with_context(|| format!("{id} is not resolved"))?;
        let is_normal = |kind: DependencyKind| kind == DependencyKind::Normal;
        let uses = node.deps.iter();
        let uses = uses.filter(|dep| dep.dep_kinds.iter().any(|kind| is_normal(kind.kind)));
        let uses: Vec<_> = uses.map(|dep| &dep.pkg).collect();
        waiting.extend(&uses);
        found.insert(id, uses);
    }
    Ok(found)
}

fn component(package: &Package, kind: &str, checksums: &BTreeMap<(&str, &str), &str>) -> Value {
    let version = package.version.to_string();
    let mut component = json!({
        "type": kind,
        "bom-ref": purl(package),
        "name": package.name.as_str(),
        "version": version,
    });
    if let Some(licence) = &package.license {
        // Older crates write a slash for "or".
        let expression = licence.replace('/', " OR ");
        component["licenses"] = json!([{"expression": expression}]);
    }
    // The workspace's own crates are in no registry.
    if package.source.is_some() {
        component["purl"] = json!(purl(package));
    }
    if let Some(checksum) = checksums.get(&(package.name.as_str(), version.as_str())) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    component
}

/// The package URL.
fn purl(package: &Package) -> String {
    // A plus sign separates build metadata, and has to be escaped.
    let version = package.version.to_string().replace('+', "%2B");
    format!("pkg:cargo/{}@{version}", package.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bill_has_what_is_in_the_program_and_nothing_else() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let bill = of(root, "x86_64-unknown-linux-gnu").unwrap();
        let components = bill["components"].as_array().unwrap();
        let find = |name: &str| components.iter().find(|part| part["name"] == name);
        let actix = find("actix-web").unwrap();
        assert_eq!(actix["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(actix["hashes"][0]["content"].as_str().unwrap().len(), 64);
        assert!(
            actix["purl"]
                .as_str()
                .unwrap()
                .starts_with("pkg:cargo/actix-web@")
        );
        assert!(find("domain").is_some() && find("libsqlite3-sys").is_some());
        for absent in ["criterion", "proptest", "windows-sys", "xtask", "app"] {
            assert!(find(absent).is_none(), "{absent}");
        }
        assert_eq!(bill["metadata"]["component"]["name"], "posthaste");
        let dependencies = bill["dependencies"].as_array().unwrap();
        assert_eq!(dependencies.len(), components.len() + 1);
        let references = [components, &[bill["metadata"]["component"].clone()][..]].concat();
        let references: BTreeSet<_> = references
            .iter()
            .map(|it| it["bom-ref"].to_string())
            .collect();
        assert_eq!(references.len(), dependencies.len());
        for dependency in dependencies {
            let on = dependency["dependsOn"].as_array().unwrap().iter();
            let mut all = on.chain([&dependency["ref"]]).map(Value::to_string);
            assert!(all.all(|of| references.contains(&of)), "{dependency}");
        }
    }
}
