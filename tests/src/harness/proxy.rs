use std::{
    env, fs,
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use pg_cluster::free_port;
use tempfile::TempDir;

use super::SETTLING;

const NGINX: &str = include_str!("../../../docs/deploy/nginx.conf");
const CADDY: &str = include_str!("../../../docs/deploy/Caddyfile");

const SERVICE: &str = "127.0.0.1:8080";
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Nginx,
    Caddy,
}

pub struct Proxy {
    child: Child,
    port: u16,
    folder: TempDir,
}

impl Proxy {
    pub fn start(program: Program, service: &str) -> Self {
        let folder = TempDir::with_prefix("posthaste-proxy-").unwrap();
        let port = free_port().unwrap();
        let mut command = match program {
            Program::Nginx => nginx(folder.path(), port, service),
            Program::Caddy => caddy(folder.path(), port, service),
        };
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let child = command
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut proxy = Self {
            child,
            port,
            folder,
        };
        proxy.wait();
        proxy
    }

    fn wait(&mut self) {
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = self.child.try_wait().unwrap();
            let is_late = start.elapsed() > SETTLING;
            if ended.is_some() || is_late {
                let log = fs::read_to_string(self.folder.path().join("log"));
                panic!("the proxy does not listen: {ended:?} {}", log.unwrap());
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Without a master process, nginx is a single process, like caddy.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn nginx(folder: &Path, port: u16, service: &str) -> Command {
    assert!(NGINX.contains("listen 80;") && NGINX.contains("listen [::]:80;"));
    let server = NGINX
        .replace("listen 80;", &format!("listen 127.0.0.1:{port};"))
        .replace("listen [::]:80;", "")
        .replace("/var/log/nginx", &folder.display().to_string())
        .replace(SERVICE, service);
    let folders: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {};\n", folder.join(name).display()))
        .concat();
    let whole = format!(
        "daemon off;\nmaster_process off;\npid {};\nerror_log stderr;\nevents {{}}\n\
         http {{\naccess_log off;\n{folders}{server}}}\n",
        folder.join("pid").display()
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, whole).unwrap();
    let mut command = Command::new(program("nginx"));
    command
        .arg("-e")
        .arg("stderr")
        .arg("-p")
        .arg(folder)
        .arg("-c")
        .arg(file);
    command
}

fn caddy(folder: &Path, port: u16, service: &str) -> Command {
    assert!(CADDY.contains("jobs.example.org {") && CADDY.contains("request_buffers 2MiB"));
    let site = CADDY
        .replace("jobs.example.org {", &format!("http://127.0.0.1:{port} {{"))
        // The Caddy of Debian 12 knows the option by its former name.
        .replace("request_buffers 2MiB", "buffer_requests")
        .replace(SERVICE, service);
    let file = folder.join("Caddyfile");
    fs::write(&file, format!("{{\n\tadmin off\n}}\n{site}")).unwrap();
    let mut command = Command::new(program("caddy"));
    command
        .args(["run", "--adapter", "caddyfile", "--config"])
        .arg(file);
    command
        .env("HOME", folder)
        .env("XDG_DATA_HOME", folder)
        .env("XDG_CONFIG_HOME", folder);
    command
}

fn program(name: &str) -> PathBuf {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin".into()]);
    let mut files = folders.map(|folder| folder.join(name));
    files
        .find(|file| file.is_file())
        .unwrap_or_else(|| panic!("there is no {name}; `cargo xtask test` installs it"))
}
