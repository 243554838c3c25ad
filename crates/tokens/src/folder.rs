//! The key folder: one PKCS#8 PEM file per key, named by the key's id, with or without `.pem`.
//! Hidden files are ignored.

use std::{
    ffi::OsStr,
    fmt, fs, io,
    io::Write as _,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use ring::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair},
};

use crate::{
    key::{Key, KeyError, KeyId, KeySet},
    owner,
    problem::{self, KeyProblem},
    secret::secret_digest,
};

const PEM_LABEL: &str = "PRIVATE KEY";
/// The largest key file in bytes, far more than a P-256 key needs.
const MAX_FILE_BYTES: u64 = 16 * 1024;
/// Permissions of group and others, forbidden for key files.
const OTHERS: u32 = 0o077;
/// Write permissions of group and others, forbidden for the folder.
const OTHERS_WRITE: u32 = 0o022;

#[derive(Clone, Debug)]
pub struct KeyFolder {
    path: PathBuf,
}

impl KeyFolder {
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Generates a key, and creates the folder if needed. Files that root creates get the owner of
    /// the folder that contains them.
    pub fn generate(&self, id: KeyId) -> Result<(), KeyError> {
        let document =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new())
                .map_err(|_| KeyError::Random)?;
        let pem = pem::encode_config(
            &pem::Pem::new(PEM_LABEL, document.as_ref()),
            pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF),
        );
        self.make().map_err(|source| io_error(&self.path, source))?;
        if self.has(id) {
            return Err(KeyError::Exists(id));
        }
        self.write(id, pem.as_bytes())
    }

    fn make(&self) -> io::Result<()> {
        if self.path.is_dir() {
            return Ok(());
        }
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.path)?;
        owner::inherit_owner(&fs::File::open(&self.path)?, &self.path);
        Ok(())
    }

    /// Returns an empty set if the folder does not exist.
    pub fn list(&self) -> Result<KeySet, KeyError> {
        match self.load(&KeySet::default()) {
            Err(KeyError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                Ok(KeySet::default())
            }
            other => other,
        }
    }

    /// Leaves out keys that the folder's owner cannot read, and reports them as problems. Root can
    /// read these keys, but the service runs as the owner.
    pub fn list_for_owner(&self) -> Result<KeySet, KeyError> {
        let mut set = self.list()?;
        let Ok(folder) = fs::metadata(&self.path) else {
            return Ok(set);
        };
        let mut problems = Vec::new();
        set.keys.retain(|key| {
            let path = self.file_of(key.id);
            let is_readable = owner::can_read(&folder, &path);
            if !is_readable {
                let (user, group) = (folder.uid(), folder.gid());
                problems.push(KeyProblem::not_the_owners(&path, user, group));
            }
            is_readable
        });
        set.problems.extend(problems);
        Ok(set)
    }

    /// A warning about permissions that expose keys, with the command that fixes them.
    pub fn exposure(&self) -> Result<Option<String>, KeyError> {
        Ok(problem::exposure(&self.path, self.list()?.problems()))
    }

    /// Whether the key has a file, even an unusable one.
    pub fn has(&self, id: KeyId) -> bool {
        self.files_of(id).iter().any(|path| path.exists())
    }

    /// Deletes a key. Returns `false` if the key does not exist.
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

    /// Copies the usable keys that another folder lacks. Returns the ids of all usable keys.
    pub fn copy_to(&self, target: &Self) -> Result<Vec<KeyId>, KeyError> {
        let keys = self.list()?;
        target
            .make()
            .map_err(|source| io_error(&target.path, source))?;
        let mut ids = Vec::new();
        for id in keys.keys().iter().map(|key| key.id) {
            let path = self.file_of(id);
            let pem = fs::read(&path).map_err(|source| io_error(&path, source))?;
            let is_there = |path: &PathBuf| fs::read(path).is_ok_and(|content| content == pem);
            if !target.files_of(id).iter().any(is_there) {
                target.write(id, &pem)?;
            }
            ids.push(id);
        }
        Ok(ids)
    }

    /// Loads the keys. If a key's file is unchanged or cannot be read, the key in `before` is kept.
    /// If others can write to the folder, none of its keys is trusted.
    pub fn load(&self, before: &KeySet) -> Result<KeySet, KeyError> {
        let mut set = KeySet::default();
        for path in self.files()? {
            match read(&path, before) {
                Ok(Some(key)) => set.keys.push(key),
                Ok(None) => {}
                Err((problem, kept)) => {
                    set.problems.push(problem);
                    set.keys.extend(kept);
                }
            }
        }
        if let Some(problem) = self.problem()? {
            set.keys.clear();
            set.problems.insert(0, problem);
        }
        // The sort is stable: of two files with the same id, the plain name wins.
        set.keys.sort_by_key(|key| key.id);
        set.keys.dedup_by_key(|key| key.id);
        Ok(set)
    }

    fn problem(&self) -> Result<Option<KeyProblem>, KeyError> {
        let about = fs::metadata(&self.path).map_err(|source| io_error(&self.path, source))?;
        let mode = about.mode() & 0o7777;
        let is_open = mode & OTHERS_WRITE != 0;
        Ok(is_open.then(|| KeyProblem::open_folder(&self.path, mode)))
    }

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

    fn file_of(&self, id: KeyId) -> PathBuf {
        let [plain, named] = self.files_of(id);
        if plain.exists() { plain } else { named }
    }

    /// Writes a temporary file and renames it, so that no process ever reads half a key.
    fn write(&self, id: KeyId, pem: &[u8]) -> Result<(), KeyError> {
        let path = self.path.join(id.to_string());
        let mut file = tempfile::Builder::new()
            .prefix(".new-")
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(&self.path)
            .map_err(|source| io_error(&self.path, source))?;
        owner::inherit_owner(file.as_file(), file.path());
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

type Failure = (KeyProblem, Option<Arc<Key>>);

/// Returns `None` if the file was removed meanwhile.
fn read(path: &Path, before: &KeySet) -> Result<Option<Arc<Key>>, Failure> {
    let problem = |reason: &dyn fmt::Display| KeyProblem::new(path, reason);
    let id = id_of(path).map_err(|error| (problem(&error), None))?;
    let known = before.find(id);
    let content = match content_of(path) {
        Ok(Content::Private(content)) => content,
        // Others may have copied the key, so even a known key is no longer trusted.
        Ok(Content::Open(mode)) => return Err((KeyProblem::open_file(path, mode), None)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        // A failure such as a lack of file descriptors must not invalidate all tokens of the key.
        Err(error) => return Err((problem(&error), known.cloned())),
    };
    let source = secret_digest(&content);
    if let Some(known) = known.filter(|key| key.source == source) {
        return Ok(Some(Arc::clone(known)));
    }
    let pair = parse(&content).map_err(|reason| (problem(&reason), None))?;
    Ok(Some(Arc::new(Key { id, pair, source })))
}

fn id_of(path: &Path) -> Result<KeyId, KeyError> {
    let name = path
        .file_name()
        .map(OsStr::to_string_lossy)
        .unwrap_or_default();
    name.strip_suffix(".pem").unwrap_or(&name).parse()
}

enum Content {
    Private(Vec<u8>),
    Open(u32),
}

fn content_of(path: &Path) -> io::Result<Content> {
    let about = fs::metadata(path)?;
    if !about.is_file() || about.len() > MAX_FILE_BYTES {
        return Err(io::Error::other("not a file of a key's size"));
    }
    let mode = about.mode() & 0o7777;
    if mode & OTHERS != 0 {
        return Ok(Content::Open(mode));
    }
    fs::read(path).map(Content::Private)
}

fn parse(content: &[u8]) -> Result<EcdsaKeyPair, String> {
    let pem = pem::parse(content).map_err(|_| "not a whole PEM file".to_owned())?;
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
    .map_err(|_| "not a P-256 key".to_owned())
}
