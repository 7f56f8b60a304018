//! A chart of a real OCI registry (`interop/tools/build`), which wants a password and speaks TLS.

use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{fs, thread};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{ALLOWED, World};
use crate::support::program::run;
use crate::support::switches;

/// `me:secret` for the registry.
const PASSWORDS: &str = "me:$2b$04$b3eDATPblLZOHmwxd8UGMe4lMtscf4Zi4CEg5O9vU3wqD/7ZIBRtS\n";

struct Registry {
    process: Child,
    host: String,
    certificate: PathBuf,
}

impl Registry {
    /// None where there is no registry, helm or openssl.
    fn start(world: &World) -> Option<Self> {
        let program = switches::tool("registry").filter(|path| path.is_file())?;
        let dir = world.scratch.source().join("registry");
        fs::create_dir_all(&dir).unwrap();
        let made = Command::new("openssl")
            .args("req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=a".split(' '))
            .args(["-addext", "subjectAltName=IP:127.0.0.1"])
            .current_dir(&dir)
            .stderr(Stdio::null())
            .status();
        if !made.is_ok_and(|status| status.success()) {
            switches::not_run("a chart of a registry: there is no openssl");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let host = format!("127.0.0.1:{port}");
        world.scratch.write("registry/passwords", PASSWORDS);
        let config = world.scratch.write(
            "registry/config.yml",
            format!(
                "version: 0.1\nstorage: {{filesystem: {{rootdirectory: data}}}}\nauth: {{htpasswd: {{realm: x, path: passwords}}}}\n\
                 http: {{addr: '{host}', tls: {{certificate: cert.pem, key: key.pem}}}}\n"
            ),
        );
        let mut command = Command::new(program);
        command.arg("serve").arg(config).current_dir(&dir).stdout(Stdio::null()).stderr(Stdio::null());
        let mut registry = Self { process: command.spawn().unwrap(), host, certificate: dir.join("cert.pem") };
        while TcpStream::connect(&registry.host).is_err() {
            assert!(registry.process.try_wait().unwrap().is_none(), "the registry has ended");
            thread::sleep(Duration::from_millis(20));
        }
        Some(registry)
    }

    /// Writes the user's password, as `helm registry login` does.
    fn log_in(&self, world: &World, password: &str) {
        let auth = STANDARD.encode(format!("me:{password}"));
        let config = format!("{{\"auths\": {{\"{}\": {{\"auth\": \"{auth}\"}}}}}}", self.host);
        world.scratch.write("home/.config/helm/registry/config.json", config);
    }

    fn push(&self, world: &World, version: &str) {
        let mut command = Command::new(switches::tool("helm").unwrap());
        command.current_dir(world.scratch.source().join("served"));
        command.args(["push", &format!("shop-{version}.tgz"), &format!("oci://{}/charts", self.host)]);
        command.env("HOME", world.scratch.source().join("home")).env("SSL_CERT_FILE", &self.certificate);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn preview(&self, world: &World, arguments: &[&str]) -> String {
        let mut command = world.command(arguments);
        command.env("SSL_CERT_FILE", &self.certificate);
        let output = run(command, b"");
        String::from_utf8(output.stdout).unwrap() + &output.stderr
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

#[test]
fn a_chart_of_a_registry_is_fetched_once() {
    let world = World::new();
    let Some(mut registry) = Registry::start(&world) else { return };
    for version in ["1.0.0", "1.1.0"] {
        world.package(version);
    }
    registry.log_in(&world, "secret");
    registry.push(&world, "1.0.0");
    for (name, version) in [("one", "1.0.0"), ("range", "^1.0.0")] {
        let source = format!("repoURL: '{}/charts', chart: shop, targetRevision: '{version}'", registry.host);
        world.application(name, &source);
    }
    registry.log_in(&world, "wrong");
    let text = registry.preview(&world, &ALLOWED);
    assert!(text.contains("\"checked\": 0") && text.contains("log in first") && !text.contains("wrong"), "{text}");
    registry.log_in(&world, "secret");
    let text = registry.preview(&world, &ALLOWED);
    assert!(text.contains("\"checked\": 2"), "{text}");
    registry.push(&world, "1.1.0");
    let text = registry.preview(&world, &ALLOWED);
    assert!(text.contains("\"checked\": 2"), "{text}");
    let content = world.scratch.source().join("cache/argocd-jobs/content");
    assert_eq!(fs::read_dir(content).unwrap().count(), 2);
    registry.process.kill().unwrap();
    registry.process.wait().unwrap();
    let text = registry.preview(&world, &[]);
    assert!(text.contains("\"checked\": 2"), "{text}");
    // The one version is not asked for again.
    let text = registry.preview(&world, &ALLOWED);
    assert!(text.contains("\"checked\": 1"), "{text}");
}
