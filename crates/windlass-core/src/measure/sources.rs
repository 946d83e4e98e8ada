//! Which file of a tree a report means.
//!
//! A report about another tree proves nothing about this one, so every file that it speaks of has
//! to be found. Reports name files in many ways: by absolute paths, relative to the folder that the
//! tool ran in, below roots that they list, or by package. What is on disk is asked through
//! [`SourceTree`]; nothing is read here.

use super::coverage::ReportedName;

/// A report speaks of a file that is not one of the tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Foreign {
    /// Its path leads elsewhere.
    #[error("`{path}` lies outside the tree that is verified")]
    Outside {
        /// The path.
        path: String,
    },
    /// There is no such file.
    #[error("`{path}` is not a file of the tree that is verified")]
    Missing {
        /// The path.
        path: String,
    },
}

/// The tree that a report should be about.
pub struct SourceTree<'t> {
    /// The names that its folder goes by, without a slash at the end.
    pub roots: &'t [String],
    /// The folder below it that the command ran in; empty for the tree's own.
    pub folder: &'t str,
    /// Returns the name of a file by a path below the tree, if it is one.
    pub file: &'t dyn Fn(&str) -> Option<String>,
    /// Returns the paths of all files of that name.
    pub named: &'t dyn Fn(&str) -> Vec<String>,
}

impl SourceTree<'_> {
    /// Finds the file that the report at `report` means.
    pub(super) fn find(&self, report: &str, name: &ReportedName) -> Result<String, Foreign> {
        match name {
            ReportedName::Path { path, roots } => self.by_path(report, path, roots),
            ReportedName::InPackage { package, file } => self.by_package(report, package, file),
        }
    }

    fn by_path(&self, report: &str, path: &str, roots: &[String]) -> Result<String, Foreign> {
        let mut outside = None;
        let mut candidates = Vec::new();
        let mut consider = |path: &str| match self.below(path) {
            Some(inside) => candidates.push(inside),
            None => drop(outside.get_or_insert_with(|| path.to_owned())),
        };
        let bases = self.bases(report);
        if is_absolute(path) {
            consider(path);
        } else if roots.is_empty() {
            bases.iter().for_each(|base| consider(&join(base, path)));
        }
        for root in roots.iter().filter(|_| !is_absolute(path)) {
            let from_root = join(root, path);
            if is_absolute(root) {
                consider(&from_root);
            } else {
                bases.iter().for_each(|base| consider(&join(base, &from_root)));
            }
        }
        if let Some(found) = candidates.iter().find_map(|candidate| (self.file)(candidate)) {
            return Ok(found);
        }
        Err(match (candidates.first(), outside) {
            (None, Some(path)) => Foreign::Outside { path },
            (_, _) => Foreign::Missing { path: path.to_owned() },
        })
    }

    /// The folders that a relative path may begin at: where the command ran, then the folders
    /// around the report, nearest first. Tools that change into a folder write their report there.
    fn bases(&self, report: &str) -> Vec<String> {
        let mut bases = vec![self.folder.to_owned()];
        let mut folder = report;
        while let Some((around, _)) = folder.rsplit_once('/') {
            bases.push(around.to_owned());
            folder = around;
        }
        bases.push(String::new());
        bases
    }

    /// The file below any source folder; where several fit, the one nearest to the report, because
    /// each module writes its own.
    fn by_package(&self, report: &str, package: &str, file: &str) -> Result<String, Foreign> {
        let named = (self.named)(file);
        let mut package = package.trim_matches('/');
        loop {
            let wanted = join(package, file);
            let fits = |path: &&String| {
                **path == wanted || path.strip_suffix(&wanted).is_some_and(|p| p.ends_with('/'))
            };
            let nearest = named.iter().filter(fits).max_by(|a, b| {
                // Of two that are as near, the one that comes first.
                shared(a, report).cmp(&shared(b, report)).then_with(|| b.cmp(a))
            });
            if let Some(found) = nearest.and_then(|path| (self.file)(path)) {
                return Ok(found);
            }
            // Java's folders are its packages. Others may leave out the folders that all have in
            // common.
            if file.ends_with(".java") || package.is_empty() {
                break;
            }
            package = package.split_once('/').map_or("", |(_, rest)| rest);
        }
        Err(Foreign::Missing { path: join(package, file) })
    }

    /// The path below the tree without `.` and `..`; none when it leads outside.
    fn below(&self, path: &str) -> Option<String> {
        let relative = if is_absolute(path) {
            let path = normal(path)?;
            let inside = |root: &String| {
                let rest = path.strip_prefix(normal(root)?.as_str())?;
                Some(rest.strip_prefix('/')?.to_owned())
            };
            self.roots.iter().find_map(inside)?
        } else {
            normal(path)?
        };
        (!relative.is_empty()).then_some(relative)
    }
}

/// How many folders two paths have in common.
fn shared(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

/// Paths of other systems count as absolute: they are none of this tree.
fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    path.starts_with(['/', '\\']) || drive || path.contains("://")
}

fn join(base: &str, path: &str) -> String {
    match base.trim_end_matches('/') {
        "" if base.starts_with('/') => format!("/{path}"),
        "" => path.to_owned(),
        base => format!("{base}/{path}"),
    }
}

/// A path without `.`, `..` and doubled slashes; none when it climbs above its beginning.
fn normal(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    let relative = parts.join("/");
    Some(if path.starts_with('/') { format!("/{relative}") } else { relative })
}
