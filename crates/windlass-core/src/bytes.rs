//! Sizes of files and folders.

use std::fmt;

/// A size in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

/// Units by their factor, the largest of each kind first.
const UNITS: [(&str, u64); 8] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
];

impl ByteSize {
    /// Returns so many GiB.
    pub const fn gib(count: u64) -> Self {
        Self(count << 30)
    }

    /// Reads `2 GiB`, `500MB` and the like; a number alone has no unit and is refused.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = text[..digits].parse().ok()?;
        let unit = text[digits..].trim_start();
        let (_, factor) = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
        number.checked_mul(*factor).map(Self)
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = UNITS.iter().find(|(_, unit)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        match whole {
            Some((name, unit)) => write!(f, "{} {name}", self.0 / unit),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_number_and_a_unit() {
        for (written, bytes, shown) in [
            ("2 GiB", 2 << 30, "2 GiB"),
            ("500MB", 500_000_000, "500 MB"),
            (" 1 kib ", 1024, "1 KiB"),
            ("0 GiB", 0, "0 bytes"),
            ("1025 KiB", 1025 << 10, "1025 KiB"),
        ] {
            let size = ByteSize::parse(written).unwrap();
            assert_eq!((size.0, size.to_string().as_str()), (bytes, shown));
        }
        assert_eq!(ByteSize::gib(2), ByteSize::parse("2 GiB").unwrap());
        for bad in ["", "2", "GiB", "2 G", "2.5 GiB", "-1 GiB", "2 GiB more", "99999999999 TiB"] {
            assert_eq!(ByteSize::parse(bad), None, "{bad}");
        }
    }
}
