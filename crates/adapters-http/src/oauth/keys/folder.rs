//! The folder of keys: one PKCS#8 PEM file a key, named by the key's id.
//!
//! `<key id>` is what is written; `<key id>.pem` is read too, for keys that other tools made.
//! Hidden files are left alone.

use std::{
    ffi::OsStr,
    fs, io,
    io::Write as _,
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use ring::{
    digest::{SHA256, digest},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};

use super::{Key, KeyError, KeyId, KeySet};

/// The label of a PKCS#8 private key (RFC 7468 §10).
const PEM_LABEL: &str = "PRIVATE KEY";
/// Far more than a P-256 key needs.
const MAX_FILE_BYTES: u64 = 16 * 1024;

/// The folder that holds the keys.
#[derive(Clone, Debug)]
pub struct KeyFolder {
    path: PathBuf,
}

impl KeyFolder {
    /// Names the folder, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a key with this id, and the folder if there is none.
    pub fn generate(&self, id: KeyId) -> Result<(), KeyError> {
        let document =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
                .map_err(|_| KeyError::Random)?;
        let pem = pem::encode_config(
            &pem::Pem::new(PEM_LABEL, document.as_ref()),
            pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF),
        );
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.path)
            .map_err(|source| io_error(&self.path, source))?;
        if self.files_of(id).iter().any(|path| path.exists()) {
            return Err(KeyError::Exists(id));
        }
        self.write(id, pem.as_bytes())
    }

    /// Everything that is in the folder; none when there is no folder.
    pub fn list(&self) -> Result<KeySet, KeyError> {
        match self.load(&KeySet::default()) {
            Err(KeyError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(KeySet::default())
            }
            other => other,
        }
    }

    /// Removes a key. `false` when there is no such key.
    pub fn retire(&self, id: KeyId) -> Result<bool, KeyError> {
        let mut found = false;
        for path in self.files_of(id) {
            match fs::remove_file(&path) {
                Ok(()) => found = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(io_error(&path, source)),
            }
        }
        Ok(found)
    }

    /// Reads the folder. Keys whose file did not change are taken from `before`, and so is a key
    /// whose file is there but cannot be read just now.
    pub(super) fn load(&self, before: &KeySet) -> Result<KeySet, KeyError> {
        let mut set = KeySet::default();
        for path in self.files()? {
            match read(&path, before) {
                Ok(Some(key)) => set.keys.push(key),
                Ok(None) => {}
                Err((problem, kept)) => {
                    set.problems.push(format!("{}: {problem}", path.display()));
                    set.keys.extend(kept);
                }
            }
        }
        // The sort is stable and the files came sorted: of two with one id, the plain name counts.
        set.keys.sort_by_key(|key| key.id);
        set.keys.dedup_by_key(|key| key.id);
        set.problems.sort();
        Ok(set)
    }

    /// What is in the folder and not hidden, by name.
    fn files(&self) -> Result<Vec<PathBuf>, KeyError> {
        let mut paths = fs::read_dir(&self.path)
            .and_then(|entries| {
                entries
                    .map(|entry| entry.map(|entry| entry.path()))
                    .collect::<io::Result<Vec<_>>>()
            })
            .map_err(|source| io_error(&self.path, source))?;
        paths.retain(|path| {
            path.file_name()
                .is_some_and(|name| !name.as_encoded_bytes().starts_with(b"."))
        });
        paths.sort();
        Ok(paths)
    }

    fn files_of(&self, id: KeyId) -> [PathBuf; 2] {
        [
            self.path.join(id.to_string()),
            self.path.join(format!("{id}.pem")),
        ]
    }

    /// Written aside, then named, so that nobody ever reads half a key.
    fn write(&self, id: KeyId, pem: &[u8]) -> Result<(), KeyError> {
        let path = self.path.join(id.to_string());
        let mut file = tempfile::Builder::new()
            .prefix(".new-")
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(&self.path)
            .map_err(|source| io_error(&self.path, source))?;
        file.write_all(pem)
            .and_then(|()| file.as_file().sync_all())
            .map_err(|source| io_error(file.path(), source))?;
        file.persist_noclobber(&path)
            .map_err(|failed| match failed.error.kind() {
                io::ErrorKind::AlreadyExists => KeyError::Exists(id),
                _ => io_error(&path, failed.error),
            })?;
        fs::File::open(&self.path)
            .and_then(|folder| folder.sync_all())
            .map_err(|source| io_error(&self.path, source))
    }
}

fn io_error(path: &Path, source: io::Error) -> KeyError {
    KeyError::Io {
        path: path.display().to_string(),
        source,
    }
}

/// A problem, and the key to keep in spite of it.
type Problem = (String, Option<Arc<Key>>);

/// Reads one file; `None` when it is gone meanwhile.
fn read(path: &Path, before: &KeySet) -> Result<Option<Arc<Key>>, Problem> {
    let id = id_of(path).map_err(|error| (error.to_string(), None))?;
    let known = before.find(id);
    let content = match content_of(path) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // Out of file descriptors, say: no reason to refuse every token that this key signed.
        Err(error) => return Err((error.to_string(), known.cloned())),
    };
    let mut source = [0; 32];
    source.copy_from_slice(digest(&SHA256, &content).as_ref());
    if let Some(known) = known.filter(|key| key.source == source) {
        return Ok(Some(Arc::clone(known)));
    }
    let pair = parse(&content).map_err(|problem| (problem, None))?;
    Ok(Some(Arc::new(Key { id, pair, source })))
}

fn id_of(path: &Path) -> Result<KeyId, KeyError> {
    let name = path
        .file_name()
        .map(OsStr::to_string_lossy)
        .unwrap_or_default();
    name.strip_suffix(".pem").unwrap_or(&name).parse()
}

fn content_of(path: &Path) -> io::Result<Vec<u8>> {
    let about = fs::metadata(path)?;
    if !about.is_file() || about.len() > MAX_FILE_BYTES {
        return Err(io::Error::other("not a file of a key's size"));
    }
    fs::read(path)
}

fn parse(content: &[u8]) -> Result<EcdsaKeyPair, String> {
    let pem = pem::parse(content).map_err(|error| format!("not a PEM file: {error}"))?;
    if pem.tag() != PEM_LABEL {
        return Err(format!(
            "it holds a {:?}, not a PKCS#8 {PEM_LABEL:?}; convert it with `openssl pkcs8 -topk8 -nocrypt`",
            pem.tag()
        ));
    }
    EcdsaKeyPair::from_pkcs8(
        &ECDSA_P256_SHA256_FIXED_SIGNING,
        pem.contents(),
        &SystemRandom::new(),
    )
    .map_err(|error| format!("not a P-256 key: {error}"))
}
