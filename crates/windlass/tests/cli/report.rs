//! The report of a real run, opened in a real browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use windlass_testkit::TestEnv;

use crate::support::{GATED, eventful};

/// What an agent might print to get into the page of whoever reads the report.
const INTRUDER: &str = r#"
printf '<script src="http://127.0.0.1:9/steal.js"></script><img src=http://127.0.0.1:9/p.png>\033[2J\n'
case $WINDLASS_STEP in
  plan) echo "plan $WINDLASS_ATTEMPT" > plan.md ;;
  build) echo right > answer.txt ;;
esac
"#;

fn html_of(env: &TestEnv) -> PathBuf {
    let file = env.home().join("report.html");
    env.windlass(&["report", "--html", "-o", &file.to_string_lossy()]).assert_code(0);
    file
}

/// The browser, or none where there is none; in CI there has to be one.
fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "CI has no chromium: see .ci/test");
        windlass_testkit::skip("there is no chromium; `apt-get install chromium` brings one");
    }
    found
}

/// Opens a page and returns its document and every address that the page asked for.
///
/// A browser asks for things of its own, too; those have no origin as their initiator. Names are
/// not resolved, so nothing leaves the machine.
fn open(env: &TestEnv, browser: &Path, page: &Path) -> (String, Vec<String>) {
    let net = env.root().join("net.json");
    let profile = tempfile::tempdir().expect("a profile");
    let mut command = Command::new(browser);
    command
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        .args(["--no-first-run", "--disable-extensions", "--disable-sync"])
        .args(["--disable-background-networking", "--disable-component-update"])
        .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("--log-net-log={}", net.display()))
        .arg("--dump-dom")
        .arg(format!("file://{}", page.display()))
        .env("HOME", profile.path());
    let output = command.output().expect("the browser starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = fs_err::read_to_string(&net).expect("a log");
    let log: serde_json::Value = serde_json::from_str(&log).expect("JSON");
    let events = log["events"].as_array().cloned().unwrap_or_default();
    let of_the_page = |event: &&serde_json::Value| {
        event["params"]["initiator"].as_str().is_some_and(|who| who != "not an origin")
    };
    let urls =
        events.iter().filter(of_the_page).filter_map(|event| event["params"]["url"].as_str());
    let asked = urls.filter(|url| !url.starts_with("file:") && !url.starts_with("data:"));
    (String::from_utf8_lossy(&output.stdout).into_owned(), asked.map(str::to_owned).collect())
}

#[test]
fn a_browser_shows_the_report_and_asks_for_nothing() {
    let env = eventful();
    let Some(browser) = browser() else { return };
    let (page, asked) = open(&env, &browser, &html_of(&env));
    assert!(page.contains("<title>Do it · windlass report</title>"), "{page}");
    // The document is what the browser made of it: tables with rows, not only text that says so.
    for heading in ["Steps", "Decisions", "Evidence", "Attempts", "Files changed", "Budget"] {
        assert!(page.contains(&format!("<h2>{heading}</h2>")), "{heading}: {page}");
    }
    let rows = |page: &str| page.matches("<tr>").count();
    assert!(page.matches("<table").count() == 4 && rows(&page) >= 12, "{page}");
    for words in ["Planning", "build#1", "not proven:", "approved by ada ", ": good", "answer.txt"]
    {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert_eq!(asked, Vec::<String>::new());
}

#[test]
fn what_an_agent_printed_runs_and_loads_nothing() {
    let env = windlass_testkit::test_env!();
    env.run(GATED, INTRUDER, &["--yes"]).assert_code(0);
    let Some(browser) = browser() else { return };
    let file = html_of(&env);
    let (page, asked) = open(&env, &browser, &file);
    assert!(page.contains("&lt;script src="), "{page}");
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    assert_eq!(asked, Vec::<String>::new());
    // The same look finds a page that does ask, so finding nothing means something.
    let control = env.file("control.html", "<img src='http://127.0.0.1:9/p.png'>");
    let (_, asked) = open(&env, &browser, &control);
    assert!(asked.iter().any(|url| url.contains("127.0.0.1:9")), "{asked:?}");
    // And the policy holds a page back that got something into it all the same.
    let text = fs_err::read_to_string(&file).unwrap();
    let broken = text.replace("<main>", "<main><img src='http://127.0.0.1:9/p.png'>");
    assert_ne!(text, broken);
    let broken = env.file("broken.html", broken);
    let (_, asked) = open(&env, &browser, &broken);
    assert!(!asked.iter().any(|url| url.contains("127.0.0.1:9")), "{asked:?}");
}

#[test]
fn all_three_forms_come_from_one_projection() {
    let env = eventful();
    let json = env.json(&["report", "--json"]);
    let written = env.windlass(&["report"]).stdout;
    let page = env.windlass(&["report", "--html"]).stdout;
    assert_eq!(json["status"], "completed");
    assert_eq!(json["audit"]["ok"], true);
    assert_eq!(json["changes"]["code"].as_array().unwrap().len(), 3);
    for attempt in json["attempts"].as_array().unwrap() {
        let id = attempt["id"].as_str().unwrap();
        assert!(written.contains(id) && page.contains(id), "{id}");
    }
    let head = json["journal_head"].as_str().unwrap();
    assert!(written.contains(head) && page.contains(head));
    assert_eq!(
        json["proofs"].as_array().unwrap().iter().filter(|p| p["decisive"] == true).count(),
        2
    );
}

#[test]
fn huge_output_leaves_a_report_that_can_be_opened() {
    let env = windlass_testkit::test_env!();
    let agent = "yes 'a line of output' | head -c 3000000; echo THE-END; echo plan > plan.md; echo right > answer.txt";
    env.run(GATED, agent, &["--yes"]).assert_code(0);
    let page = env.windlass(&["report", "--html"]).stdout;
    assert!(page.len() < 200_000, "{}", page.len());
    assert!(page.contains("bytes left out") && page.contains("THE-END"));
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let env = eventful();
    let refused = env.windlass(&["report", "-o", "/nonexistent/report.md"]);
    refused.assert_code(2);
    assert!(refused.stderr.contains("/nonexistent/report.md"), "{refused}");
    env.windlass(&["report", "--html", "--json"]).assert_code(2);
    let kept = env.windlass(&["report", "-o", "report.md"]);
    kept.assert_code(0);
    assert!(kept.stdout.is_empty(), "{kept}");
    assert!(env.repository.read("report.md").starts_with("# Do it"));
}
