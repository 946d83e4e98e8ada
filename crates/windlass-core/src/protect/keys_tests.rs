use super::*;

/// What of a file counts as changed: keys, or `*` where nobody can be sure.
fn changed(path: &str, keys: &[&str], before: &str, now: &str) -> Vec<String> {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    let read = |text: &str| values(path, Some(text.as_bytes()), &keys);
    match (read(before), read(now)) {
        (Some(before), Some(now)) => {
            let changed = before.changed(&now);
            assert_eq!(changed.is_empty(), before.hash() == now.hash());
            changed
        }
        _ => vec!["*".to_owned()],
    }
}

const PACKAGE: &str = r#"{"name": "a", "scripts": {"test": "node --test"}, "dependencies": {}}"#;

#[test]
fn only_the_keys_count() {
    let keys = ["scripts", "jest"];
    for (now, counts) in [
        (r#"{"scripts": {"test": "node --test"}, "dependencies": {"a": "1"}}"#, &[][..]),
        (r#"{ "scripts":{"test":"node --test" } }"#, &[]),
        (r#"{"scripts": {"test": "true"}}"#, &["scripts"]),
        (r#"{"scripts": {"test": "node --test", "pretest": "rig"}}"#, &["scripts"]),
        (r"{}", &["scripts"]),
        (r#"{"scripts": {"test": "node --test"}, "jest": {}}"#, &["jest"]),
        (r#"{"scripts": null, "jest": 1}"#, &["jest", "scripts"]),
    ] {
        assert_eq!(changed("package.json", &keys, PACKAGE, now), counts, "{now}");
    }
}

#[test]
fn what_programs_read_differently_counts_wholly() {
    let keys = ["scripts"];
    for now in [
        r#"{"scripts": {"test": "node --test"}, "scripts": {"test": "true"}}"#,
        r#"{"scripts": {"test": "node --test", "test": "true"}}"#,
        r#"{"scripts": {"test": "node --test"}, "a": {"b": 1, "b": 2}}"#,
        "\u{feff}{\"scripts\": {\"test\": \"node --test\"}}",
        r#"{"scripts": {"test": "node --test"}} // said"#,
        r#"{"scripts": {"test": "node --test"},}"#,
        r#"["scripts"]"#,
        "",
    ] {
        assert_eq!(changed("package.json", &keys, PACKAGE, now), ["*"], "{now}");
    }
    let deep = format!("{{\"a\": {}1{}}}", "[".repeat(4000), "]".repeat(4000));
    assert_eq!(changed("package.json", &keys, PACKAGE, &deep), ["*"]);
    let large = format!("{{\"a\": \"{}\"}}", "x".repeat(MAX_KEYED_BYTES));
    assert_eq!(changed("package.json", &keys, PACKAGE, &large), ["*"]);
    assert_eq!(values("package.json", Some(b"\xff"), &BTreeSet::new()), None);
    assert_eq!(values("run.sh", Some(b""), &BTreeSet::new()), None);
}

#[test]
fn a_file_that_is_not_there_has_no_values() {
    let keys = BTreeSet::from(["scripts".to_owned()]);
    let none = values("package.json", None, &keys).unwrap();
    let without = values("package.json", Some(b"{}"), &keys).unwrap();
    let with = values("package.json", Some(PACKAGE.as_bytes()), &keys).unwrap();
    assert_eq!(none.changed(&without), [""; 0]);
    assert_eq!(none.changed(&with), ["scripts"]);
}

#[test]
fn levels_are_parted_by_dots() {
    let base = "[package]\nname = 'a'\n[lib]\ntest = true\n[tool.x]\na = 1\n";
    let keys = ["package.build", "lib.test", "test", "tool.pytest", "profile"];
    for (now, counts) in [
        ("[package]\nname = 'b'\n[lib]\ntest = true\n[dependencies]\na = '1'\n", &[][..]),
        ("[package]\nname = 'a'\nbuild = 'rig.rs'\n[lib]\ntest = true\n", &["package.build"]),
        ("package.build = 'rig.rs'\nlib.test = true\n", &["package.build"]),
        ("[lib]\ntest = false\n", &["lib.test"]),
        ("lib = {test = true}\n[[test]]\nname = 'a'\nharness = false\n", &["test"]),
        ("lib = 'no table'\n", &["lib.test"]),
        ("[lib]\ntest = true\n[tool.pytest.ini_options]\naddopts = '-p rig'", &["tool.pytest"]),
        ("[lib]\ntest = true\n[profile.test]\nopt-level = 3", &["profile"]),
        ("[lib]\ntest = true\n[lib]\n", &["*"]),
        ("[lib\n", &["*"]),
    ] {
        assert_eq!(changed("Cargo.toml", &keys, base, now), counts, "{now}");
    }
    assert_eq!(changed("a.toml", &["a"], "a = nan", "a = inf"), ["a"]);
}

#[test]
fn names_may_have_dots_and_stand_for_several() {
    let base = r#"{"a.b": {"c": 1}, "x": {"y.z": 1}}"#;
    let now = r#"{"a.b": {"c": 2}, "x": {"y.z": 2}}"#;
    assert_eq!(changed("a.json", &["a.b.c", "x.y.z"], base, now), ["a.b.c", "x.y.z"]);
    assert!(fits("*skip*", "maven.test.skip") && fits("a*", "a") && fits("*a*b", "xayab"));
    assert!(!fits("a*", "ba") && !fits("*a*b", "xb") && !fits("scripts", "script"));
    let one = r#"{"coverage:run": 1, "coverage:report": 1}"#;
    let two = r#"{"coverage:run": 1, "coverage:report": 2}"#;
    assert_eq!(changed("a.json", &["coverage:*"], one, two), ["coverage:*"]);
}

#[test]
fn yaml_says_everything_where_it_stands() {
    let base = "packages: [a, b]\ncatalog: {x: 1}\n";
    let keys = ["packages"];
    for (now, counts) in [
        ("packages:\n  - a\n  - b\ncatalog: {x: 2}\n", &[][..]),
        ("packages: [a]\n", &["packages"]),
        ("packages: [a, b]\npackages: [a]\n", &["*"]),
        ("x: &x [a, b]\npackages: *x\n", &["*"]),
        ("packages: [a, b]\n<<: {y: 1}\n", &["*"]),
        ("packages: [a, b]\n---\npackages: [a]\n", &["*"]),
        ("packages: !ruby/object [a, b]\n", &["*"]),
        ("\u{feff}packages: [a, b]\n", &["*"]),
        ("1: a\npackages: [a, b]\n", &["*"]),
    ] {
        assert_eq!(changed("w.yaml", &keys, base, now), counts, "{now}");
    }
}

#[test]
fn sections_are_their_lines() {
    let base = "[metadata]\nname = a\n\n[tool:pytest]\naddopts = -q\n";
    let keys = ["tool:pytest", "coverage:*"];
    for (now, counts) in [
        ("[metadata]\nname = b\nversion = 2\n[tool:pytest]\n# said\naddopts = -q\n", &[][..]),
        ("[tool:pytest]\naddopts = -q -p rig\n", &["tool:pytest"]),
        ("[tool:pytest]\naddopts = -q\n    -p rig\n", &["tool:pytest"]),
        ("[metadata]\nname = a\n", &["tool:pytest"]),
        ("[tool:pytest]\naddopts = -q\n[coverage:run]\nomit = *\n", &["coverage:*"]),
        ("[DEFAULT]\naddopts = -p rig\n[tool:pytest]\naddopts = -q\n", &["tool:pytest"]),
        ("[tool:pytest]\naddopts = -q\n[tool:pytest]\naddopts = x\n", &["*"]),
        ("[tool:pytest]\naddopts = -q\n  [metadata]\naddopts = x\n", &["*"]),
        ("[tool:pytest]\raddopts = -q\n", &["*"]),
    ] {
        assert_eq!(changed("setup.cfg", &keys, base, now), counts, "{now}");
    }
}

#[test]
fn elements_are_mappings_and_versions_do_not_count() {
    let pom = |build: &str, more: &str| {
        format!(
            "<project xmlns='x'><version>1</version>{more}<build><plugins>{build}</plugins></build></project>"
        )
    };
    let plugin = |inner: &str| format!("<plugin><artifactId>s</artifactId>{inner}</plugin>");
    let base = pom(&plugin("<version>1</version>"), "");
    let keys = ["project.build", "project.properties.*skip*"];
    let dependency =
        "<dependencies><dependency><artifactId>x</artifactId></dependency></dependencies>";
    for (now, counts) in [
        (pom(&plugin("<version>2</version>"), dependency), &[][..]),
        (pom(&plugin("<configuration><skip>true</skip></configuration>"), ""), &["project.build"]),
        (pom(&plugin(""), "<properties><x.version>2</x.version></properties>"), &[]),
        (
            pom(&plugin(""), "<properties><maven.test.skip>true</maven.test.skip></properties>"),
            &["project.properties.*skip*"],
        ),
        (pom(&plugin(""), "<build/>"), &["*"]),
        ("<project>".to_owned(), &["*"]),
        (format!("<!DOCTYPE a [<!ENTITY b 'x'>]>{base}"), &["*"]),
    ] {
        assert_eq!(changed("pom.xml", &keys, &base, &now), counts, "{now}");
    }
}

#[test]
fn packages_from_elsewhere_count_and_ordinary_ones_do_not() {
    let base = r#"{"devDependencies": {"jest": "^29"}}"#;
    let keys = ["scripts", "dependencies from elsewhere"];
    for (now, counts) in [
        (
            r#"{"devDependencies": {"jest": "^30", "chalk": "5"}, "dependencies": {"a": "*"}}"#,
            &[][..],
        ),
        (r#"{"devDependencies": {"jest": "file:tools/jest"}}"#, &["dependencies from elsewhere"]),
        (r#"{"devDependencies": {"jest": "npm:fake-jest@1"}}"#, &["dependencies from elsewhere"]),
        (r#"{"dependencies": {"jest": "someone/jest"}}"#, &["dependencies from elsewhere"]),
    ] {
        assert_eq!(changed("web/package.json", &keys, base, now), counts, "{now}");
    }
}

#[test]
fn of_a_catalogue_plugins_and_what_aliases_stand_for_count() {
    let base = "[versions]\njunit = \"5\"\n[libraries]\njunit = {module = \"org.junit:junit\", version.ref = \"junit\"}\n\
                [plugins]\nshadow = {id = \"shadow\", version = \"1\"}\n";
    let keys = ["plugins", "-libraries"];
    for (now, counts) in [
        (base.replace("\"5\"", "\"6\"").replace("\"1\"", "\"2\""), &[][..]),
        (base.replace("org.junit:junit", "org.fake:junit"), &["-libraries"]),
        (format!("{base}rig = {{id = \"rig\", version = \"1\"}}\n"), &["plugins"]),
    ] {
        assert_eq!(changed("gradle/libs.versions.toml", &keys, base, &now), counts, "{now}");
    }
    // A library that is added is ordinary work.
    let more = base.replace("[plugins]", "gson = \"g:gson:2\"\n[plugins]");
    let keys = keys.map(str::to_owned).into_iter().collect();
    let read = |text: &str| values("libs.versions.toml", Some(text.as_bytes()), &keys).unwrap();
    assert_eq!(read(base).changed(&read(&more)), [""; 0]);
}

#[test]
fn of_a_project_of_dotnet_what_runs_or_leaves_out_counts() {
    let project = |more: &str| {
        format!(
            "<Project Sdk='Microsoft.NET.Sdk'><PropertyGroup><TargetFramework>net8.0</TargetFramework>\
             <IsTestProject>true</IsTestProject></PropertyGroup>{more}</Project>"
        )
    };
    let base = project("");
    for (now, counts) in [
        (base.replace("net8.0", "net9.0"), &[][..]),
        (project("<ItemGroup><PackageReference Include='x' Version='2'/></ItemGroup>"), &[]),
        (project("<ItemGroup><ProjectReference Include='../a/a.csproj'/></ItemGroup>"), &[]),
        (base.replace("true", "false"), &["Project"]),
        (base.replace("Microsoft.NET.Sdk", "Other"), &["Project"]),
        (
            project("<Target Name='T' AfterTargets='Build'><Exec Command='x'/></Target>"),
            &["Project"],
        ),
        (project("<Import Project='rig.targets'/>"), &["Project"]),
        (project("<ItemGroup><Compile Remove='CartTests.cs'/></ItemGroup>"), &["Project"]),
        (
            project(
                "<PropertyGroup><VSTestTestCaseFilter>a</VSTestTestCaseFilter></PropertyGroup>",
            ),
            &["Project"],
        ),
        (project("<ItemGroup><Compile Include='../fake/Assert.cs'/></ItemGroup>"), &["Project"]),
    ] {
        assert_eq!(changed("tests/App.Tests.csproj", &["Project"], &base, &now), counts, "{now}");
    }
}
