//! A screen as tmux prints it, read back into pieces of one style each.

/// How some characters look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Style {
    pub(crate) bold: bool,
    pub(crate) dim: bool,
    /// One of the terminal's first eight colours.
    pub(crate) colour: Option<u8>,
}

/// Some characters of one style, beginning in a column.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Piece {
    pub(crate) column: usize,
    pub(crate) text: String,
    pub(crate) style: Style,
}

/// What stands in a line.
pub(crate) type Line = Vec<Piece>;

pub(crate) fn lines(screen: &str) -> Vec<Line> {
    let mut style = Style::default();
    screen.lines().map(|text| line(text, &mut style)).collect()
}

/// A style goes on until it is changed, also into the next line.
fn line(text: &str, style: &mut Style) -> Line {
    let mut pieces: Line = Vec::new();
    let mut column = 0;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some((codes, after)) =
            rest.strip_prefix("\x1b[").and_then(|sequence| sequence.split_once('m'))
        {
            codes.split(';').for_each(|code| change(style, code));
            rest = after;
            continue;
        }
        rest = &rest[c.len_utf8()..];
        match pieces.last_mut() {
            Some(piece) if piece.style == *style && ends(piece) == column => piece.text.push(c),
            _ if c == ' ' => {}
            _ => pieces.push(Piece { column, text: c.to_string(), style: *style }),
        }
        column += 1;
    }
    pieces.into_iter().flat_map(apart).collect()
}

fn ends(piece: &Piece) -> usize {
    piece.column + piece.text.chars().count()
}

/// Wide gaps part a piece, so that what stands behind one keeps its column in any font.
fn apart(piece: Piece) -> Vec<Piece> {
    let mut parts = Vec::new();
    let mut column = piece.column;
    for text in piece.text.split("  ") {
        let spaces = text.chars().take_while(|c| *c == ' ').count();
        let shown = text.trim();
        if !shown.is_empty() {
            let text = shown.to_owned();
            parts.push(Piece { column: column + spaces, text, style: piece.style });
        }
        column += text.chars().count() + 2;
    }
    parts
}

fn change(style: &mut Style, code: &str) {
    match code.parse::<u8>() {
        Ok(1) => style.bold = true,
        Ok(2) => style.dim = true,
        Ok(22) => (style.bold, style.dim) = (false, false),
        Ok(code @ 30..=37) => style.colour = Some(code - 30),
        Ok(39) => style.colour = None,
        Ok(0) | Err(_) => *style = Style::default(),
        // Grounds and the like, of which windlass sets none.
        Ok(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_columns_are_read_back() {
        let lines = lines("a \x1b[0;1m\x1b[32m\x1b[49mok\x1b[0m    far  \nb");
        let shown: Vec<(usize, &str, Option<u8>)> =
            lines[0].iter().map(|p| (p.column, p.text.as_str(), p.style.colour)).collect();
        assert_eq!(shown, [(0, "a", None), (2, "ok", Some(2)), (8, "far", None)]);
        assert!(lines[0][1].style.bold);
        assert_eq!(lines[1][0].text, "b");
    }
}
