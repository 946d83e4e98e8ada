use proptest::prelude::*;

use super::super::sources::Foreign;
use super::*;

/// The files of a tree that is known by two names and that the command ran in `folder` of.
fn tree<T>(files: &[&str], folder: &str, look: impl FnOnce(&SourceTree<'_>) -> T) -> T {
    let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
    let file = |path: &str| files.iter().find(|known| *known == path).cloned();
    let named = |name: &str| {
        let is = |path: &&String| path.rsplit('/').next() == Some(name);
        files.iter().filter(is).cloned().collect()
    };
    let roots = ["/tree".to_owned(), "/link/to/tree".to_owned()];
    look(&SourceTree { roots: &roots, folder, file: &file, named: &named })
}

/// Reads reports by their paths into one coverage.
fn measured(
    files: &[&str],
    folder: &str,
    reports: &[(&str, &str)],
) -> Result<LineCoverage, Foreign> {
    tree(files, folder, |tree| {
        let mut coverage = LineCoverage::default();
        for (path, report) in reports {
            for file in read_coverage(report.as_bytes()).unwrap() {
                coverage.add(path, file, tree)?;
            }
        }
        Ok(coverage)
    })
}

fn why(report: &str) -> String {
    read_coverage(report.as_bytes()).unwrap_err().to_string()
}

const LCOV: &str = "TN:\nSF:src/a.ts\nFN:1,(anonymous_0)\nFNL:0,1,2\nBRDA:1,e0,x,-\nDA:1,4\nDA:2,0\n\
    DA:3,1,abc\nLF:300\nLH:300\nend_of_record\nSF:src/empty.ts\nend_of_record\n";

#[test]
fn lcov_counts_its_lines_and_not_its_sums() {
    let coverage = measured(&["src/a.ts"], "", &[("coverage/lcov.info", LCOV)]).unwrap();
    assert_eq!(coverage.to_string(), "line coverage 66.6 % of 3 lines in 1 file");
    assert!(coverage.reaches("66".parse().unwrap()) && !coverage.reaches("67".parse().unwrap()));
    assert_eq!(coverage.least_covered(5), [("src/a.ts".to_owned(), 1, 3)]);
}

const COBERTURA: &str = r#"<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM 'http://cobertura.sourceforge.net/xml/coverage-04.dtd'>
<coverage line-rate="1.0" lines-covered="9" lines-valid="9" version="7.4">
  <sources><source>/tree/src</source></sources>
  <packages><package name="." line-rate="1"><classes>
    <class name="a.py" filename="pkg/a.py" line-rate="1">
      <methods><method name="f"><lines><line number="1" hits="1"/></lines></method></methods>
      <lines><line number="1" hits="1"/><line number="2" hits="0" branch="true"
        condition-coverage="50% (1/2)"/><line number="5" hits="1e+06"/></lines>
    </class>
  </classes></package></packages>
</coverage>"#;

#[test]
fn cobertura_counts_each_line_once_below_its_roots() {
    let coverage = measured(&["src/pkg/a.py"], "", &[("coverage.xml", COBERTURA)]).unwrap();
    assert_eq!(coverage.to_string(), "line coverage 66.6 % of 3 lines in 1 file");
    let relative = COBERTURA.replace("/tree/src", "./src");
    assert!(measured(&["src/pkg/a.py"], "", &[("coverage.xml", &relative)]).is_ok());
    assert!(measured(&["app/src/pkg/a.py"], "app", &[("out/coverage.xml", &relative)]).is_ok());
    let by_other_name = COBERTURA.replace("/tree/src", "/link/to/tree/src/");
    assert!(measured(&["src/pkg/a.py"], "", &[("coverage.xml", &by_other_name)]).is_ok());
    let from_top = COBERTURA.replace("/tree/src", "/").replace("pkg/a.py", "tree/pkg/a.py");
    assert!(measured(&["pkg/a.py"], "", &[("coverage.xml", &from_top)]).is_ok());
    let two = COBERTURA.replace("<sources>", "<sources><source>/tree/lib</source>");
    assert!(measured(&["src/pkg/a.py"], "", &[("coverage.xml", &two)]).is_ok());
}

const JACOCO: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
<report name="app"><sessioninfo id="x" start="1" dump="2"/><group name="core">
<package name="org/example"><class name="org/example/Sum" sourcefilename="Sum.java">
<method name="add" desc="(II)I" line="3"><counter type="LINE" missed="0" covered="99"/></method></class>
<sourcefile name="Sum.java"><line nr="3" mi="0" ci="4" mb="0" cb="0"/><line nr="4" mi="2" ci="1" mb="1" cb="1"/>
<line nr="7" mi="3" ci="0" mb="0" cb="0"/><line nr="9" mi="0" ci="0" mb="0" cb="0"/>
<counter type="LINE" missed="0" covered="99"/></sourcefile></package></group></report>"#;

#[test]
fn jacoco_files_are_found_below_any_source_folder() {
    let path = "core/src/main/java/org/example/Sum.java";
    let coverage = measured(&[path], "", &[("core/target/jacoco.xml", JACOCO)]).unwrap();
    assert_eq!(coverage.to_string(), "line coverage 66.6 % of 3 lines in 1 file");
    let missing = measured(&["src/com/example/Sum.java"], "", &[("j.xml", JACOCO)]).unwrap_err();
    assert_eq!(
        missing.to_string(),
        "`org/example/Sum.java` is not a file of the tree that is verified"
    );
    assert!(measured(&["src/xorg/example/Sum.java"], "", &[("j.xml", JACOCO)]).is_err());
    // Kotlin leaves out the folders that all packages share.
    let kotlin = JACOCO.replace("Sum.java", "Sum.kt");
    assert!(measured(&["src/main/kotlin/Sum.kt"], "", &[("j.xml", &kotlin)]).is_ok());
    assert!(measured(&["src/main/kotlin/Other.kt"], "", &[("j.xml", &kotlin)]).is_err());
}

#[test]
fn each_module_means_its_own_file_of_the_same_name() {
    let files = ["a/src/org/example/Sum.java", "b/src/org/example/Sum.java"];
    let reports = [("a/target/jacoco.xml", JACOCO), ("b/target/jacoco.xml", JACOCO)];
    assert_eq!(measured(&files, "", &reports).unwrap().lines(), 6);
    assert_eq!(measured(&files[..1], "", &reports).unwrap().lines(), 3);
}

#[test]
fn reports_are_merged_line_by_line() {
    let one = "SF:a.c\nDA:1,1\nDA:2,0\nend_of_record\n";
    let two = "SF:/tree/a.c\nDA:2,5\nDA:3,0\nend_of_record\nSF:./b/../a.c\nDA:4,1\nend_of_record\n";
    let coverage = measured(&["a.c"], "", &[("1.info", one), ("2.info", two)]).unwrap();
    assert_eq!((coverage.covered(), coverage.lines()), (3, 4));
}

#[test]
fn relative_paths_begin_where_the_tool_ran() {
    let of = |path: &str| format!("SF:{path}\nDA:1,1\nend_of_record\n");
    let found = |files: &[&str], folder: &str, report: &str| {
        measured(files, folder, &[(report, &of("src/a.ts"))]).is_ok()
    };
    assert!(found(&["src/a.ts"], "", "coverage/lcov.info"));
    assert!(found(&["frontend/src/a.ts"], "frontend", "out/lcov.info"));
    assert!(found(&["frontend/src/a.ts"], "", "frontend/coverage/lcov.info"));
    assert!(!found(&["backend/src/a.ts"], "", "frontend/coverage/lcov.info"));
}

#[test]
fn reports_of_another_tree_are_told_by_their_paths() {
    let of = |path: &str| format!("SF:{path}\nDA:1,1\nend_of_record\n");
    let foreign = |report: &str| measured(&["src/a.c"], "", &[("r", report)]).unwrap_err();
    for path in ["/home/x/other/src/a.c", "/treehouse/src/a.c", "../src/a.c", "C:\\src\\a.c"] {
        assert_eq!(foreign(&of(path)), Foreign::Outside { path: path.to_owned() }, "{path}");
    }
    for path in ["/tree/src/b.c", "src/b.c", "a.c", "/tree"] {
        assert!(measured(&["src/a.c"], "", &[("r", &of(path))]).is_err(), "{path}");
    }
    assert!(matches!(foreign(&of("src/b.c")), Foreign::Missing { .. }));
    // The file is there, but the report says that it means another one.
    let elsewhere = COBERTURA.replace("/tree/src", "/home/x/other").replace("pkg/a.py", "src/a.c");
    let path = "/home/x/other/src/a.c".to_owned();
    assert_eq!(foreign(&elsewhere), Foreign::Outside { path });
}

#[test]
fn nothing_is_enough_where_there_is_no_line() {
    let coverage = measured(&[], "", &[("r", "TN:\nSF:gone.c\nend_of_record\n")]).unwrap();
    assert_eq!(coverage.lines(), 0);
    assert!(!coverage.reaches("0".parse().unwrap()));
}

#[test]
fn what_is_no_whole_report_is_refused() {
    let wanted = "is not a coverage report (lcov, Cobertura or JaCoCo): it begins with";
    assert_eq!(why("<html/>"), format!("{wanted} `<html>`"));
    assert_eq!(why("{\"a\": 1}"), format!("{wanted} `{{\"a\": 1}}`"));
    assert_eq!(why(" \n"), "is empty");
    assert_eq!(why("SF:a.c\nDA:1,1\n"), "is cut off: it ends inside `SF`");
    assert_eq!(why("DA:1,1\n"), "is broken in line 1: `DA` before any `SF`");
    assert_eq!(why("TN:\nnonsense"), "is broken in line 2: `nonsense` is not a record");
    assert!(why("SF:a.c\nDA:1,-1\nend_of_record").starts_with("is broken in line 2: "));
    assert!(why("SF:a.c\nDA:x,1\nend_of_record").starts_with("is broken in line 2: "));
    assert_eq!(why(&COBERTURA[..COBERTURA.len() - 12]), "is cut off: it ends inside `coverage`");
    let odd = COBERTURA.replace("hits=\"0\"", "hits=\"no\"");
    assert_eq!(why(&odd), "has a `line` in line 8 whose `hits` is not a number");
    let odd = JACOCO.replace("nr=\"7\"", "nr=\"7a\"");
    assert_eq!(why(&odd), "has a `line` in line 7 whose `nr` is not a number");
    let folders = "<source>a</source>".repeat(65);
    assert_eq!(
        why(&COBERTURA.replace("<sources>", &format!("<sources>{folders}"))),
        "lists more than 64 source folders"
    );
    let bomb = "<!DOCTYPE coverage [<!ENTITY a 'b'>]><coverage>&a;</coverage>";
    assert_eq!(why(bomb), Unreadable::Entities.to_string());
}

type Files = BTreeMap<u8, BTreeMap<u32, bool>>;

fn path(file: u8) -> String {
    format!("p{}/F{file}.java", file % 3)
}

fn as_lcov(files: &Files) -> String {
    let mut text = "TN:\n".to_owned();
    for (file, lines) in files {
        text.push_str(&format!("SF:src/{}\n", path(*file)));
        lines
            .iter()
            .for_each(|(line, ran)| text.push_str(&format!("DA:{line},{}\n", u8::from(*ran))));
        text.push_str("end_of_record\n");
    }
    text
}

fn as_cobertura(files: &Files) -> String {
    let mut text = "<coverage><sources><source>/tree/src</source></sources><packages>".to_owned();
    for (file, lines) in files {
        text.push_str(&format!("<class filename='{}'><lines>", path(*file)));
        for (line, ran) in lines {
            text.push_str(&format!("<line number='{line}' hits='{}'/>", u8::from(*ran)));
        }
        text.push_str("</lines></class>");
    }
    text + "</packages></coverage>"
}

fn as_jacoco(files: &Files) -> String {
    let mut text = "<report name='x'>".to_owned();
    for (file, lines) in files {
        let path = path(*file);
        let (package, name) = path.split_once('/').unwrap();
        text.push_str(&format!("<package name='{package}'><sourcefile name='{name}'>"));
        for (line, ran) in lines {
            let (missed, covered) = if *ran { (0, 3) } else { (3, 0) };
            text.push_str(&format!("<line nr='{line}' mi='{missed}' ci='{covered}'/>"));
        }
        text.push_str("</sourcefile></package>");
    }
    text + "</report>"
}

proptest! {
    #[test]
    fn the_formats_agree_about_the_same_coverage(
        files in prop::collection::btree_map(
            0..20u8, prop::collection::btree_map(1..200u32, any::<bool>(), 0..20), 0..12
        ),
    ) {
        let names: Vec<String> = files.keys().map(|file| format!("src/{}", path(*file))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let lcov = measured(&names, "", &[("r", &as_lcov(&files))]).unwrap();
        let cobertura = measured(&names, "", &[("r", &as_cobertura(&files))]).unwrap();
        let jacoco = measured(&names, "", &[("r", &as_jacoco(&files))]).unwrap();
        prop_assert_eq!(&lcov, &cobertura);
        prop_assert_eq!(&lcov, &jacoco);
        let lines: usize = files.values().map(BTreeMap::len).sum();
        let ran: usize = files.values().map(|l| l.values().filter(|ran| **ran).count()).sum();
        prop_assert_eq!((lcov.covered(), lcov.lines()), (ran as u64, lines as u64));
        // A report read twice, or beside another format, changes nothing.
        let all = [as_lcov(&files), as_cobertura(&files), as_jacoco(&files)];
        let reports: Vec<_> = all.iter().map(|report| ("r", report.as_str())).collect();
        prop_assert_eq!(&lcov, &measured(&names, "", &reports).unwrap());
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(<coverage|<report|SF:|DA:|<line|>|/|[ -~\n]){0,40}") {
        let _ = read_coverage(text.as_bytes());
    }
}
