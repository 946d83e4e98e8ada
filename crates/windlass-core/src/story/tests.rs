//! A file of stories: what it gives, and every way in which it is wrong.

use crate::id::ItemId;
use proptest::prelude::*;

use super::*;

const GOOD: &str = r#"
stories:
  - id: S1
    title: Show the health of the service
    size: S
    criteria:
      - "GET /health answers 200"
      - {id: AC7, text: The answer names the version that runs}
      - A broken database gives 503
    files: [src/health.rs, "tests/[id].rs"]
    depends_on: []
    design: A handler in src/health.rs asks the pool and answers.
    description: |
      For the load balancer.
  - {id: S2, title: Say so on the page, size: XL, security: true, depends_on: [S1],
     criteria: [The page shows a red dot when the service is down]}
"#;

fn mistakes(text: &str) -> Vec<String> {
    parse(text).unwrap_err().iter().map(ToString::to_string).collect()
}

/// One story with the given lines besides what every story needs.
fn story(lines: &str) -> String {
    let rest = "title: Something\n    size: S\n    criteria: [GET / answers 200]";
    let rest: String = rest
        .lines()
        .filter(|line| !lines.contains(line.trim().split(':').next().unwrap_or_default()))
        .map(|line| format!("    {}\n", line.trim()))
        .collect();
    let id = if lines.starts_with("id: ") { "" } else { "    id: S1\n" };
    format!("stories:\n  -\n{id}{rest}    {lines}\n")
}

fn only(lines: &str) -> String {
    let found = mistakes(&story(lines));
    assert_eq!(found.len(), 1, "{found:#?}");
    found.into_iter().next().unwrap()
}

#[test]
fn a_good_file_becomes_items_in_its_order() {
    let file = parse(GOOD).unwrap();
    let tasks = file.tasks();
    assert_eq!(tasks.len(), 2);
    assert_eq!((tasks[0].id.as_str(), tasks[0].body.as_str()), ("S1", "For the load balancer."));
    let story = tasks[0].story.as_ref().unwrap();
    let ids: Vec<_> = story.criteria.iter().map(|criterion| criterion.id.as_str()).collect();
    assert_eq!(ids, ["AC1", "AC7", "AC2"]);
    assert_eq!(story.files, ["src/health.rs", "tests/[id].rs"]);
    let second = tasks[1].story.as_ref().unwrap();
    assert_eq!((second.size, second.security), (Size::XL, true));
    assert_eq!(second.depends_on, [ItemId::from("S1")]);
    assert_eq!((file.stories[0].line, file.stories[1].line), (3, 15));
}

#[test]
fn json_is_read_like_yaml() {
    let text = r#"{"stories": [{"id": "S1", "title": "A", "size": "M", "criteria": ["a b c"]}]}"#;
    assert_eq!(parse(text).unwrap().stories[0].story.size, Size::M);
}

#[test]
fn all_mistakes_are_said_at_once_with_their_lines() {
    let text = "stories:\n- id: story1\n  titel: A\n  size: XXL\n  criteria: []\n- id: S2\n  \
                title: B\n  size: S\n  criteria: [It works well]\n  files: [/etc/passwd]\n";
    insta::assert_snapshot!(mistakes(text).join("\n"), @r#"
    line 2: a story needs `title`
    line 2: `story1` is not an id of a story: write `S` and a number from 1, such as `S1`
    line 3: unknown key of a story: `titel`: did you mean `title`?
    line 4: expected `S`, `M`, `L` or `XL`, found `XXL`: did you mean `XL`?
    line 5: a story has 1 to 30 criteria, this one 0: say what has to be true when it is done, such as "GET /health answers 200"
    line 9: no test can show "works well" alone: `It works well`: say who does what and what can be seen then, such as "GET /health answers 200"
    line 10: `/etc/passwd`: the path is absolute: paths are relative to the repository: write it like `src/app.rs`
    "#);
}

#[test]
fn ids_are_s_and_a_number_and_there_once() {
    for id in ["s1", "S", "S0", "S01", "1", "S1a", "S-1", "S1234567"] {
        assert!(only(&format!("id: \"{id}\"")).contains("is not an id of a story"), "{id}");
    }
    let two = format!("{}{}", story(""), story("").replace("stories:\n", ""));
    insta::assert_snapshot!(mistakes(&two).join("\n"), @"line 9: the story `S1` is there twice: it is on line 3 already: number it anew");
}

#[test]
fn a_title_is_one_line() {
    assert!(only("title: \"two\\nlines\"").contains("one line of 1 to 200 bytes"));
    assert!(only(&format!("title: {}", "x".repeat(201))).contains("one line of 1 to 200 bytes"));
    assert!(only("title: \"  \"").contains("only blanks"));
}

#[test]
fn criteria_are_testable_and_named_once() {
    let found = only("criteria: [GET / answers 200, \"It is fast\"]");
    assert!(found.contains("no test can show \"is fast\" alone: `It is fast`"), "{found}");
    let found = only("criteria: [{id: AC1, text: a b c}, {id: ac1, text: d e f}]");
    assert!(found.contains("the criterion `ac1` is there twice"), "{found}");
    let found = only("criteria: [a b c, {id: \"1 2\", text: d e f}]");
    assert!(found.contains("is not an id of a criterion"), "{found}");
    let found = only("criteria:\n    - GET /health gives: ok");
    assert!(found.contains("put the whole text in quotes"), "{found}");
    assert!(only("criteria: []").contains("a story has 1 to 30 criteria, this one 0"));
    assert!(only(&format!("criteria: [{}]", "a b c, ".repeat(31))).contains("this one 31"));
    assert!(only(&format!("criteria: [\"{}\"]", "a b ".repeat(200))).contains("more than 500"));
}

#[test]
fn paths_stay_in_the_repository_and_out_of_git_and_windlass() {
    for (path, why) in [
        ("/etc/passwd", "absolute"),
        ("C:\\\\x", "absolute"),
        ("~/x", "absolute"),
        ("../x", "outside"),
        ("a/../../x", "outside"),
        (".git/config", "`.git` is not part of the work"),
        ("a/.GIT/hooks/x", "`.git` is not part of the work"),
        (".windlass/run/x", "`.windlass` is not part of the work"),
        ("a\\tb", "control character"),
    ] {
        let found = only(&format!("files: [\"{path}\"]"));
        assert!(found.contains(why), "{path}: {found}");
    }
    assert!(parse(&story("files: [.github/workflows/x.yml, .gitignore, src/]")).is_ok());
}

#[test]
fn dependencies_exist_and_lead_in_no_circle() {
    let found = only("depends_on: [S1]");
    assert!(found.contains("S1 depends on itself"), "{found}");
    let found = only("depends_on: [S2]");
    assert!(found.contains("there is no story `S2`"), "{found}");
}

fn entry(id: &str, needs: &str) -> String {
    format!("- {{id: {id}, title: A, size: S, criteria: [a b c], depends_on: [{needs}]}}\n")
}

#[test]
fn a_circle_of_dependencies_is_named() {
    let text = ["stories:\n".to_owned(), entry("S1", ""), entry("S2", "S4, S1"), entry("S3", "S2")]
        .concat();
    let found = mistakes(&format!("{text}{}", entry("S4", "S3")));
    insta::assert_snapshot!(found.join("\n"), @"line 3: stories wait for each other: S2 needs S4 needs S3 needs S2: take one of these dependencies out");
}

#[test]
fn bounds_hold() {
    let many: String = (1..=51).map(|n| entry(&format!("S{n}"), "")).collect();
    assert!(mistakes(&format!("stories:\n{many}"))[0].contains("1 to 50 stories, this one 51"));
    assert!(mistakes("stories: []")[0].contains("1 to 50 stories, this one 0"));
    let body = only(&format!("description: {}", "x".repeat(MAX_BODY + 1)));
    assert!(body.contains("`description` is text of at most 8 KiB"), "{body}");
    assert!(only(&format!("design: {}", "x".repeat(MAX_BODY + 1))).contains("`design` is text"));
    assert!(mistakes(&" ".repeat(300 << 10))[0].contains("more than 262144"));
    assert!(only(&format!("files: [{}]", "a, ".repeat(201))).contains("at most 200 files"));
}

const MAX_BODY: usize = crate::item::MAX_BODY_BYTES;

#[test]
fn what_is_no_such_file_is_said() {
    assert!(mistakes("")[0].contains("a file of stories as a mapping"));
    assert!(mistakes("[]")[0].contains("a file of stories as a mapping"));
    assert!(mistakes("stories: {}")[0].contains("a list of stories"));
    assert!(mistakes("storys: []")[0].contains("did you mean `stories`?"));
    assert!(mistakes("stories: [1]")[0].contains("a story as a mapping"));
    let bomb = "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n\
                c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c]\n\
                e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nstories: [*e, *e, *e, *e]\n";
    assert!(mistakes(bomb)[0].contains("aliases make this file far larger"));
    assert!(mistakes(&format!("stories: {}", "[".repeat(5000)))[0].contains("deeply nested"));
}

#[test]
fn a_design_says_what_where_and_after_what() {
    let file = parse(GOOD).unwrap();
    let found: Vec<_> = designed(&file).iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(found.join("\n"), @r#"
    line 15: S2 has no `design`: say in a few sentences what is built where, and why so
    line 15: S2 has no `files`: name the files that it will touch, tests included
    "#);
    let text = story(
        "design: Change the handler in src/app.rs and its test.\n    depends_on: []\n    files: [src/app.rs]",
    );
    assert_eq!(designed(&parse(&text).unwrap()), []);
    let open = format!("{text}open_questions: [Which port is it?]\n");
    let found = designed(&parse(&open).unwrap());
    assert!(found[0].to_string().contains("a question is open: Which port is it?"), "{found:?}");
    for (design, why) in
        [("TODO", "placeholder `TODO`"), ("as usual", "hardly"), ("\"\"", "no `design`")]
    {
        let text = story(&format!("design: {design}\n    depends_on: []\n    files: [a.rs]"));
        let found = designed(&parse(&text).unwrap());
        assert!(found[0].message.contains(why), "{design}: {found:?}");
    }
}

#[test]
fn stories_of_a_file_keep_their_shape_in_the_journal() {
    let tasks = parse(GOOD).unwrap().tasks();
    let text = serde_json::to_string(&tasks).unwrap();
    assert_eq!(serde_json::from_str::<Vec<crate::item::Task>>(&text).unwrap(), tasks);
}

proptest! {
    #[test]
    fn no_text_makes_reading_fail(text in "[a-zS0-9:\\[\\]{}\\-&*|>\"'#!, \n\t\u{0}é日]{0,300}") {
        let _ = parse(&text);
        let _ = parse(&format!("stories:\n- {text}"));
        let _ = testable::problem(&text);
    }

    #[test]
    fn what_was_read_can_be_an_item(text in "[ -~é日\u{7}]{1,80}") {
        let text = serde_json::json!({"stories": [{
            "id": "S1", "title": text, "size": "S", "criteria": [text, "a b c"], "files": [text],
            "description": text, "design": text,
        }]});
        if let Ok(file) = parse(&text.to_string()) {
            for task in file.tasks() {
                prop_assert!(crate::item::name::check(task.id.as_str(), &task.title, &task.body).is_ok());
            }
        }
    }
}
