//! What cargo says about this workspace.

use std::path::Path;

use anyhow::{Context, Result};
use cargo_metadata::camino::Utf8Path;
use cargo_metadata::{CargoOpt, Metadata, MetadataCommand, Package};

/// The workspace and every package it is built from, with all features and for all platforms.
pub struct Workspace {
    metadata: Metadata,
}

impl Workspace {
    /// Asks cargo.
    pub fn load() -> Result<Self> {
        let metadata = MetadataCommand::new()
            // Wherever the command was typed: this crate is two folders below the root.
            .manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"))
            .features(CargoOpt::AllFeatures)
            .other_options(["--locked".to_owned()])
            .exec()
            .context("cargo cannot describe the workspace")?;
        Ok(Self { metadata })
    }

    /// The folder of the workspace.
    pub fn root(&self) -> &Utf8Path {
        &self.metadata.workspace_root
    }

    /// Where cargo puts what it builds.
    pub fn target(&self) -> &Utf8Path {
        &self.metadata.target_directory
    }

    /// The workspace's own packages.
    pub fn members(&self) -> Vec<&Package> {
        self.metadata.workspace_packages()
    }

    /// Everybody else's packages.
    pub fn third_party(&self) -> impl Iterator<Item = &Package> {
        self.metadata
            .packages
            .iter()
            .filter(|package| package.source.is_some())
    }

    /// Whether a package of that name belongs to the workspace.
    pub fn has_member(&self, name: &str) -> bool {
        self.members()
            .iter()
            .any(|package| package.name.as_str() == name)
    }

    /// The folder of a package or path dependency, seen from the root: `crates/domain`.
    pub fn relative<'path>(&self, folder: &'path Utf8Path) -> &'path Utf8Path {
        folder.strip_prefix(self.root()).unwrap_or(folder)
    }
}
