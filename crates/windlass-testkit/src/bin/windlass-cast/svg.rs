//! The picture: a strip of screens that is moved past a window, by style rules alone.
//!
//! Lines that appear again are drawn once and referred to. There is no script and nothing is loaded,
//! so it moves as an image too. Where nothing moves, one screen is shown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::cells::{Line, Piece, Style};
use crate::film::Film;

/// The size of a character, in tenths of a pixel.
const WIDTH: usize = 84;
const HEIGHT: usize = 180;

/// The frame around the screen, in pixels.
const MARGIN: usize = 14;
const TITLE: usize = 30;

const STYLES: &str = "\
.w{fill:#11161d;stroke:#38424e}.t{fill:#8b98a5}text{font:14px ui-monospace,SFMono-Regular,Menlo,\
Consolas,'DejaVu Sans Mono','Liberation Mono',monospace;fill:#d5dde5;white-space:pre}\
.b{font-weight:700}.d{fill:#8b98a5}.c1{fill:#ff7b72}.c2{fill:#56d364}.c3{fill:#e3b341}\
.c4{fill:#79c0ff}.c5{fill:#d2a8ff}.c6{fill:#56d4dd}\
@media(prefers-color-scheme:light){.w{fill:#fbfbf9;stroke:#c9ced4}.t,.d{fill:#626c77}\
text{fill:#1f262d}.c1{fill:#b3261e}.c2{fill:#1a7f37}.c3{fill:#7d5700}.c4{fill:#0550ae}\
.c5{fill:#7a3fb5}.c6{fill:#0b6e79}}";

pub(crate) fn draw(film: &Film, (columns, rows): (u16, u16)) -> String {
    let (columns, rows) = (usize::from(columns), usize::from(rows));
    let (wide, high) = (columns * WIDTH / 10, rows * HEIGHT / 10);
    let (full_wide, full_high) = (wide + 2 * MARGIN, high + TITLE + MARGIN);
    let mut known: BTreeMap<&Line, usize> = BTreeMap::new();
    for line in film.frames.iter().flat_map(|frame| &frame.lines).filter(|line| !line.is_empty()) {
        let next = known.len();
        known.entry(line).or_insert(next);
    }
    // Writing to a string cannot fail.
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {full_wide} {full_high}\" \
         width=\"{full_wide}\" height=\"{full_high}\" role=\"img\">\n\
         <title>windlass demo, recorded in a terminal</title>\n<style>{STYLES}\n{}</style>\n<defs>\n",
        moving(film, wide)
    );
    for (line, id) in &known {
        let _ = write!(out, "<g id=\"l{id}\">");
        line.iter().for_each(|piece| text(&mut out, piece));
        out.push_str("</g>\n");
    }
    let middle = full_wide / 2;
    let _ = write!(
        out,
        "</defs>\n<rect class=\"w\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"8\"/>\n\
         <text class=\"t\" x=\"{middle}\" y=\"20\" text-anchor=\"middle\">windlass demo</text>\n\
         <svg x=\"{MARGIN}\" y=\"{TITLE}\" width=\"{wide}\" height=\"{high}\">\n<g class=\"film\">\n",
        full_wide - 1,
        full_high - 1
    );
    for (index, frame) in film.frames.iter().enumerate() {
        let _ = write!(out, "<g transform=\"translate({})\">", index * wide);
        for (row, line) in frame.lines.iter().enumerate().take(rows) {
            if let Some(id) = known.get(line) {
                let _ = write!(out, "<use href=\"#l{id}\" y=\"{}\"/>", row * HEIGHT / 10);
            }
        }
        out.push_str("</g>\n");
    }
    out.push_str("</g></svg>\n</svg>\n");
    out
}

/// The rules that move the strip: each screen stands still for its time.
fn moving(film: &Film, wide: usize) -> String {
    let whole = film.seconds();
    let mut out = format!(
        ".film{{animation:film {whole:.1}s steps(1,end) infinite}}\n\
         @media(prefers-reduced-motion:reduce){{.film{{animation:none}}}}\n@keyframes film{{"
    );
    let mut at = 0.0;
    for (index, frame) in film.frames.iter().enumerate() {
        let percent = at / whole * 100.0;
        let _ = write!(out, "{percent:.2}%{{transform:translateX(-{}px)}}", index * wide);
        at += frame.lasts.as_secs_f64();
    }
    let last = film.frames.len().saturating_sub(1) * wide;
    let _ = write!(out, "100%{{transform:translateX(-{last}px)}}}}");
    out
}

fn text(out: &mut String, piece: &Piece) {
    let x = tenths(piece.column * WIDTH);
    let length = tenths(piece.text.chars().count() * WIDTH);
    let _ = write!(out, "<text x=\"{x}\" y=\"14\" textLength=\"{length}\"");
    let classes = classes(piece.style);
    if !classes.is_empty() {
        let _ = write!(out, " class=\"{classes}\"");
    }
    let words = piece.text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = write!(out, ">{words}</text>");
}

fn classes(style: Style) -> String {
    let colour = style.colour.filter(|colour| (1..=6).contains(colour));
    let classes = [
        style.bold.then(|| "b".to_owned()),
        style.dim.then(|| "d".to_owned()),
        colour.map(|colour| format!("c{colour}")),
    ];
    classes.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn tenths(value: usize) -> String {
    match (value / 10, value % 10) {
        (whole, 0) => whole.to_string(),
        (whole, part) => format!("{whole}.{part}"),
    }
}
