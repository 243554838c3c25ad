//! Packs a build: a Debian package, a container image, an archive, `posthaste-push`, a bill of
//! materials, and checksums.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use xtask::process::{Interrupt, cargo};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The user and group of the image. No system assigns it to an account.
const NOBODY: &str = "65532";
const IMAGE: &str = "application/vnd.oci.image";
const CERTIFICATES: &str = "/etc/ssl/certs/ca-certificates.crt";

pub fn run(profile: &str) -> Result<()> {
    let interrupt = Interrupt::install()?;
    let target = Path::new(ROOT).join("target");
    let dist = target.join("dist");
    _ = fs::remove_dir_all(&dist);
    fs::create_dir_all(&dist)?;
    let bill = bill(&dist)?;
    let mut build = cargo();
    build.args(["build", "--locked", "--all-features", "--profile", profile]);
    interrupt.run(build.args(["--package", "app"]).current_dir(ROOT))?;
    let folder = if profile == "dev" { "debug" } else { profile };
    let program = target.join(folder).join("posthaste");
    let push = static_push(&interrupt, profile)?;
    let push = target.join(push).join(folder).join("posthaste-push");

    let files = Files::at(&dist.join("package"));
    files.fill(&program)?;
    let architecture = output_of(Command::new("dpkg").arg("--print-architecture"))?;
    let made = [
        deb(&dist, &files, &architecture)?,
        archive(&dist, &files, &architecture)?,
        image(&dist, &program, &architecture)?,
        alone(&dist, &push, &architecture)?,
        bill,
    ];
    fs::remove_dir_all(&files.root)?;
    let sums = output_of(Command::new("sha256sum").args(made).current_dir(&dist))?;
    fs::write(dist.join("SHA256SUMS"), format!("{sums}\n"))?;
    println!("{sums}\nin {}", dist.canonicalize()?.display());
    Ok(())
}

/// Builds `push` with its own C library, so that it runs on any Linux. Returns the target.
fn static_push(interrupt: &Interrupt, profile: &str) -> Result<String> {
    let target = format!("{}-unknown-linux-musl", env::consts::ARCH);
    let mut build = cargo();
    build.args(["build", "--locked", "--package", "push", "--bins"]);
    build.args(["--profile", profile, "--target", &target]);
    interrupt
        .run(build.current_dir(ROOT))
        .with_context(|| format!("needs musl-tools, and `rustup target add {target}`"))?;
    Ok(target)
}

fn alone(dist: &Path, push: &Path, architecture: &str) -> Result<String> {
    let name = format!("posthaste-push-{VERSION}-linux-{architecture}");
    Files::at(dist).copy(push, &name, 0o755)?;
    Ok(name)
}

struct Files {
    root: PathBuf,
}

impl Files {
    fn at(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
        }
    }

    fn put(&self, place: &str, content: &[u8], mode: u32) -> Result<()> {
        let path = self.root.join(place);
        fs::create_dir_all(path.parent().unwrap_or(&self.root))?;
        fs::write(&path, content)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
        Ok(())
    }

    fn copy(&self, from: &Path, place: &str, mode: u32) -> Result<()> {
        let content = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
        self.put(place, &content, mode)
    }

    fn fill(&self, program: &Path) -> Result<()> {
        let docs = Path::new(ROOT).join("docs");
        self.copy(program, "usr/bin/posthaste", 0o755)?;
        for unit in ["posthaste.service", "posthaste-worker.service"] {
            let place = format!("lib/systemd/system/{unit}");
            self.copy(&docs.join("deploy").join(unit), &place, 0o644)?;
        }
        let settings = docs.join("deploy/posthaste.env");
        self.copy(&settings, "etc/posthaste/posthaste.env", 0o640)?;
        for (shell, place) in [
            ("bash", "usr/share/bash-completion/completions/posthaste"),
            ("zsh", "usr/share/zsh/vendor-completions/_posthaste"),
            ("fish", "usr/share/fish/vendor_completions.d/posthaste.fish"),
        ] {
            let script = output_of(Command::new(program).args(["completions", shell]))?;
            self.put(place, script.as_bytes(), 0o644)?;
        }
        let pages = self.root.join("usr/share/man/man1");
        done(Command::new(program).arg("man").arg(&pages))?;
        let mut zip = Command::new("gzip");
        zip.args(["--best", "--no-name"]);
        for page in fs::read_dir(&pages)? {
            zip.arg(page?.path());
        }
        done(&mut zip)?;
        let mut copyright = String::new();
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            copyright += &fs::read_to_string(Path::new(ROOT).join(licence))?;
            copyright.push('\n');
        }
        copyright += &fs::read_to_string(Path::new(ROOT).join("crates/posting-text/data/NOTICE"))?;
        self.put(
            "usr/share/doc/posthaste/copyright",
            copyright.as_bytes(),
            0o644,
        )
    }
}

fn deb(dist: &Path, files: &Files, architecture: &str) -> Result<String> {
    let root = dist.join("deb");
    done(
        Command::new("cp")
            .arg("--archive")
            .arg(&files.root)
            .arg(&root),
    )?;
    let package = Files::at(&root);
    // A C library never loses symbols, so the version at link time and all later versions work.
    let libc =
        output_of(Command::new("dpkg-query").args(["--show", "--showformat=${Version}", "libc6"]))?;
    let libc = libc.split(['-', '+']).next().unwrap_or_default();
    let mut control = format!("Package: posthaste\nVersion: {VERSION}\n");
    _ = write!(
        control,
        "Architecture: {architecture}\n\
         Maintainer: {}\n\
         Depends: libc6 (>= {libc}), libgcc-s1, ca-certificates, adduser\n\
         Section: net\n\
         Priority: optional\n\
         Description: service behind a job board\n \
         Takes job postings from scrapers, has them enriched in the background, and answers what\n \
         became of them. Keeps newsletter subscribers in step with an e-mail provider.\n",
        maintainer()?
    );
    package.put("DEBIAN/control", control.as_bytes(), 0o644)?;
    package.put("DEBIAN/conffiles", b"/etc/posthaste/posthaste.env\n", 0o644)?;
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("debian");
    for script in ["postinst", "prerm", "postrm"] {
        package.copy(&scripts.join(script), &format!("DEBIAN/{script}"), 0o755)?;
    }
    let name = format!("posthaste_{VERSION}_{architecture}.deb");
    done(
        Command::new("dpkg-deb")
            .args(["--root-owner-group", "--build"])
            .arg(&root)
            .arg(dist.join(&name)),
    )?;
    fs::remove_dir_all(root)?;
    Ok(name)
}

/// The maintainer, from the variables of Debian's tools or from git.
fn maintainer() -> Result<String> {
    let of = |variable: &str, key: &str| {
        let value = env::var(variable).ok();
        let value = value.or_else(|| output_of(Command::new("git").args(["config", key])).ok());
        value.filter(|value| !value.is_empty()).with_context(|| {
            format!("a Debian package names its maintainer: set {variable}, or git's {key}")
        })
    };
    let (name, address) = (
        of("DEBFULLNAME", "user.name")?,
        of("DEBEMAIL", "user.email")?,
    );
    Ok(format!("{name} <{address}>"))
}

/// Writes the bill of materials of every crate in the program, as `CycloneDX` JSON. Equal sources
/// in the same folder give equal files.
fn bill(dist: &Path) -> Result<String> {
    let name = format!("posthaste-{VERSION}.cdx.json");
    let mut tool = cargo();
    tool.args(["cyclonedx", "--quiet", "--format", "json"])
        .args(["--spec-version", "1.5", "--describe", "binaries"])
        .args(["--all-features", "--no-build-deps"])
        .env("SOURCE_DATE_EPOCH", "0")
        .current_dir(ROOT);
    done(&mut tool).context("cargo install --locked cargo-cyclonedx")?;
    // The tool writes next to the manifest of each program of the workspace.
    for folder in fs::read_dir(Path::new(ROOT).join("crates"))? {
        for file in fs::read_dir(folder?.path())? {
            let file = file?.path();
            if file.ends_with("posthaste_bin.cdx.json") {
                fs::copy(&file, dist.join(&name))?;
            }
            if file.to_string_lossy().ends_with("_bin.cdx.json") {
                fs::remove_file(file)?;
            }
        }
    }
    Ok(name)
}

fn archive(dist: &Path, files: &Files, architecture: &str) -> Result<String> {
    let name = format!("posthaste-{VERSION}-linux-{architecture}.tar.gz");
    let mut tar = tar();
    tar.arg("--gzip")
        .arg("--create")
        .arg("--file")
        .arg(dist.join(&name));
    done(tar.arg("--directory").arg(&files.root).arg("."))?;
    Ok(name)
}

/// Creates an image from only the program and its libraries, in the layouts of OCI and Docker.
fn image(dist: &Path, program: &Path, architecture: &str) -> Result<String> {
    let layout = dist.join("layout");
    fs::create_dir_all(layout.join("blobs/sha256"))?;
    let layer = files_of_image(dist, program)?;
    describe_image(&layout, &layer, architecture)?;
    let name = format!("posthaste-{VERSION}-{architecture}.oci.tar");
    let mut whole = tar();
    whole.arg("--create").arg("--file").arg(dist.join(&name));
    let parts = ["oci-layout", "index.json", "manifest.json", "blobs"];
    done(whole.arg("--directory").arg(&layout).args(parts))?;
    fs::remove_dir_all(layout)?;
    Ok(name)
}

fn files_of_image(dist: &Path, program: &Path) -> Result<Vec<u8>> {
    let root = Files::at(&dist.join("root"));
    root.copy(program, "usr/bin/posthaste", 0o755)?;
    for library in libraries(program)? {
        root.copy(Path::new(&library), library.trim_start_matches('/'), 0o755)?;
    }
    root.copy(
        Path::new(CERTIFICATES),
        CERTIFICATES.trim_start_matches('/'),
        0o644,
    )?;
    let user = format!("posthaste:x:{NOBODY}:{NOBODY}::/var/lib/posthaste:/\n");
    root.put("etc/passwd", user.as_bytes(), 0o644)?;
    let own = Files::at(&dist.join("own"));
    let data = own.root.join("var/lib/posthaste");
    fs::create_dir_all(&data)?;
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700))?;

    let layer = dist.join("layer.tar");
    let mut system = tar();
    system.arg("--create").arg("--file").arg(&layer);
    done(system.arg("--directory").arg(&root.root).arg("."))?;
    let mut data = Command::new("tar");
    data.args(["--append", "--mtime=@0", "--numeric-owner"]);
    data.args([format!("--owner={NOBODY}"), format!("--group={NOBODY}")]);
    data.arg("--file")
        .arg(&layer)
        .arg("--directory")
        .arg(&own.root);
    done(data.args(["--no-recursion", "var/lib/posthaste"]))?;
    let content = fs::read(&layer)?;
    for folder in ["root", "own"] {
        fs::remove_dir_all(dist.join(folder))?;
    }
    fs::remove_file(layer)?;
    Ok(content)
}

fn describe_image(layout: &Path, layer: &[u8], architecture: &str) -> Result<()> {
    let layer = described(layout, layer, "layer.v1.tar")?;
    let config = json!({
        "architecture": architecture,
        "os": "linux",
        "config": {
            "User": format!("{NOBODY}:{NOBODY}"),
            "ExposedPorts": {"8080/tcp": {}},
            "Env": [
                "PATH=/usr/bin",
                "POSTHASTE_DATA_DIR=/var/lib/posthaste",
                "POSTHASTE_BIND=0.0.0.0:8080",
            ],
            "Entrypoint": ["/usr/bin/posthaste"],
            "Cmd": ["serve"],
            "Volumes": {"/var/lib/posthaste": {}},
            "WorkingDir": "/var/lib/posthaste",
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/posthaste", "healthcheck"],
                "Interval": 10_000_000_000_u64,
                "Timeout": 5_000_000_000_u64,
                "StartPeriod": 30_000_000_000_u64,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [layer["digest"]]},
    });
    let config = described(layout, config.to_string().as_bytes(), "config.v1+json")?;
    let path = |of: &Value| {
        of["digest"]
            .as_str()
            .map(|it| format!("blobs/{}", it.replace(':', "/")))
    };
    // Docker reads this unless it keeps its images in containerd.
    let docker = json!([{
        "Config": path(&config),
        "RepoTags": [format!("posthaste:{VERSION}")],
        "Layers": [path(&layer)],
    }]);
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": format!("{IMAGE}.manifest.v1+json"),
        "config": config,
        "layers": [layer],
    });
    let mut manifest = described(layout, manifest.to_string().as_bytes(), "manifest.v1+json")?;
    manifest["annotations"] = json!({
        "org.opencontainers.image.ref.name": format!("posthaste:{VERSION}"),
        "io.containerd.image.name": format!("docker.io/library/posthaste:{VERSION}"),
    });
    let index = json!({
        "schemaVersion": 2,
        "mediaType": format!("{IMAGE}.index.v1+json"),
        "manifests": [manifest],
    });
    let version = json!({"imageLayoutVersion": "1.0.0"});
    for (name, content) in [
        ("index.json", index),
        ("manifest.json", docker),
        ("oci-layout", version),
    ] {
        fs::write(layout.join(name), content.to_string())?;
    }
    Ok(())
}

fn described(layout: &Path, content: &[u8], kind: &str) -> Result<Value> {
    let blobs = layout.join("blobs/sha256");
    fs::write(blobs.join("new"), content)?;
    let sum = output_of(Command::new("sha256sum").arg("new").current_dir(&blobs))?;
    let digest = sum.split(' ').next().unwrap_or_default();
    ensure!(digest.len() == 64, "sha256sum says {sum}");
    fs::rename(blobs.join("new"), blobs.join(digest))?;
    Ok(json!({
        "mediaType": format!("{IMAGE}.{kind}"),
        "digest": format!("sha256:{digest}"),
        "size": content.len(),
    }))
}

/// The files that the system loads with a program, including its loader.
fn libraries(program: &Path) -> Result<Vec<String>> {
    let output = output_of(Command::new("ldd").arg(program))?;
    let words = output.split_whitespace();
    let mut paths: Vec<_> = words
        .filter(|word| word.starts_with('/'))
        .map(str::to_owned)
        .collect();
    paths.sort();
    paths.dedup();
    ensure!(!paths.is_empty(), "ldd names no library: {output}");
    Ok(paths)
}

/// A `tar` whose output depends only on the files.
fn tar() -> Command {
    let mut tar = Command::new("tar");
    tar.args([
        "--sort=name",
        "--mtime=@0",
        "--owner=0",
        "--group=0",
        "--numeric-owner",
    ]);
    tar
}

fn done(command: &mut Command) -> Result<()> {
    output_of(command).map(drop)
}

fn output_of(command: &mut Command) -> Result<String> {
    let output = command
        .output()
        .with_context(|| format!("cannot run {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}
