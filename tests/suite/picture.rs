//! The picture in README.md: the output of a golden case as a terminal shows it, for light and dark pages.
//!
//! `UPDATE=1 cargo test picture::` draws it again. It is a single file without fonts, scripts or addresses of other
//! files.

use std::fs;
use std::path::Path;

use anstyle_svg::{Palette, Term};

use crate::support::{case, switches};

/// The case whose output is drawn.
const CASE: &str = "preview/formats/the-picture-of-the-readme";

const FOLDER: &str = "docs/pictures";

/// Black, red, green, yellow, blue, magenta, cyan and white, and their bright variants, in hexadecimal.
type Colours = [u32; 16];

/// A light and a dark picture: file name, text colour, background, terminal colours. They are the colours of GitHub's
/// own pages.
const PAGES: [(&str, u32, u32, Colours); 2] = [
    (
        "preview-light.svg",
        0x1f2328,
        0xf6f8fa,
        [
            0x24292f, 0xcf222e, 0x116329, 0x7d4e00, 0x0969da, 0x8250df, 0x1b7c83, 0x6e7781, //
            0x57606a, 0xa40e26, 0x1a7f37, 0x633c01, 0x218bff, 0xa475f9, 0x3192aa, 0x8c959f,
        ],
    ),
    (
        "preview-dark.svg",
        0xe6edf3,
        0x151b23,
        [
            0x484f58, 0xff7b72, 0x3fb950, 0xd29922, 0x58a6ff, 0xbc8cff, 0x39c5cf, 0xb1bac4, //
            0x6e7681, 0xffa198, 0x56d364, 0xe3b341, 0x79c0ff, 0xd2a8ff, 0x56d4dd, 0xffffff,
        ],
    ),
];

#[test]
fn the_picture_shows_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (folder, readme) = (root.join(FOLDER), fs::read_to_string(root.join("README.md")).unwrap());
    for (name, text, background, colours) in PAGES {
        let drawn = draw(&session(), text, background, colours);
        if switches::update() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(name), &drawn).unwrap();
        }
        let is = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(is == drawn, "{FOLDER}/{name} is not up to date; `UPDATE=1 cargo test picture::` draws it");
        assert!(readme.contains(&format!("\"{FOLDER}/{name}\"")), "README.md does not show {name}");
    }
}

#[test]
fn the_picture_needs_nothing_from_elsewhere() {
    for (_, text, background, colours) in PAGES {
        let drawn = draw(&session(), text, background, colours);
        let addresses = drawn.matches("://").count();
        assert_eq!(addresses, 1, "there is another address than that of the namespace");
        for part in ["<script", "<image", "@import", "@font-face", "url(", "href"] {
            assert!(!drawn.contains(part), "{part}");
        }
    }
}

/// The command as a user types it, and its output.
fn session() -> String {
    let dir = case::root().join(CASE);
    let case = fs::read_to_string(dir.join("case")).unwrap();
    let command = case.lines().find(|line| line.starts_with("preview ")).unwrap();
    // In a terminal the flag for colours is not needed.
    let command = command.replace(" --color always", "");
    format!("$ argocd-jobs {command}\n{}", fs::read_to_string(dir.join("stdout.txt")).unwrap().trim_end())
}

fn draw(session: &str, text: u32, background: u32, colours: Colours) -> String {
    let rgb = |colour: u32| {
        let [_, red, green, blue] = colour.to_be_bytes();
        anstyle::RgbColor(red, green, blue)
    };
    let term = Term::new()
        .palette(Palette(colours.map(rgb)))
        .fg_color(rgb(text).into())
        .bg_color(rgb(background).into())
        .min_width_px(0);
    readable(&scalable(&term.render_svg(session)))
}

/// Faint text gets more contrast: people with weak eyes could not read it otherwise.
fn readable(svg: &str) -> String {
    let (faint, better) = (".dimmed { opacity: 0.4; }", ".dimmed { opacity: 0.75; }");
    assert!(svg.contains(faint), "the picture has no faint text any more, or it is drawn in another way");
    svg.replacen(faint, better, 1)
}

/// Adds a view box: without it, a picture that is wider than its page is cut off instead of shrunk.
fn scalable(svg: &str) -> String {
    let size = |key: &str| svg.split_once(&format!("{key}=\"")).and_then(|(_, rest)| rest.split_once("px")).unwrap().0;
    svg.replacen("<svg ", &format!("<svg viewBox=\"0 0 {} {}\" ", size("width"), size("height")), 1)
}
