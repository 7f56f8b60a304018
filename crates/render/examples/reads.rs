//! Says for one folder after another why helm or kustomize would not be given it where the kernel does not confine them: a line `kustomize`, the
//! folder and the root of its repository in, between tabs; a line with the reason out, which is empty when there is none. The tests in
//! `interop/tools` are the other end.

use std::io::{self, BufRead, Write};
use std::path::Path;

use render::{Renderer, reason_to_refuse};

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let [tool, dir, root] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(io::Error::other("expected a tool, a folder and a root"));
        };
        let renderer = if tool == "helm" { Renderer::Helm } else { Renderer::Kustomize };
        let reason = reason_to_refuse(renderer, Path::new(dir), Path::new(root)).unwrap_or_default();
        writeln!(out, "{}", reason.replace('\n', " "))?;
        out.flush()?;
    }
    Ok(())
}
