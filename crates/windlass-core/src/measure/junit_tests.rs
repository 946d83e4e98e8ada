use proptest::prelude::*;

use super::*;

fn counts(report: &str) -> (u64, u64, u64) {
    let counts = read_junit(report.as_bytes()).unwrap();
    (counts.ran, counts.failed, counts.skipped)
}

fn why(report: &[u8]) -> String {
    read_junit(report).unwrap_err().to_string()
}

#[test]
fn surefire_with_reruns() {
    let report = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="org.example.SumTest"
    time="0.051" tests="4" errors="0" skipped="1" failures="1" flakes="1">
  <properties><property name="a" value="b"/></properties>
  <testcase name="adds" classname="org.example.SumTest" time="0.01"/>
  <testcase name="flaky" classname="org.example.SumTest">
    <flakyFailure message="late" type="java.lang.AssertionError"><stackTrace>at x</stackTrace></flakyFailure>
  </testcase>
  <testcase name="wrong" classname="org.example.SumTest">
    <failure message="expected: &lt;3&gt; but was: &lt;4&gt;" type="AssertionError"><![CDATA[a trace]]></failure>
    <rerunFailure message="expected again" type="AssertionError"/>
    <system-out><![CDATA[<testcase name="printed"/>]]></system-out>
  </testcase>
  <testcase name="later" classname="org.example.SumTest"><skipped message="not now"/></testcase>
</testsuite>"#;
    let counts = read_junit(report.as_bytes()).unwrap();
    assert_eq!(
        counts.to_string(),
        "3 tests ran, 1 failed, 1 skipped, 1 passed only when run again"
    );
    let name = "org.example.SumTest.wrong".to_owned();
    let message = "expected: <3> but was: <4>".to_owned();
    assert_eq!(counts.failures, [FailedTest { name, message, place: String::new() }]);
}

#[test]
fn google_test_says_by_attributes_what_did_not_run() {
    let report = r#"<testsuites tests="4" failures="1" disabled="1" errors="0" name="AllTests">
  <testsuite name="Sum" tests="4" failures="1" disabled="1" skipped="1" errors="0">
    <testcase name="Adds" status="run" result="completed" classname="Sum"/>
    <testcase name="DISABLED_Slow" status="notrun" result="suppressed" classname="Sum"/>
    <testcase name="Skips" status="run" result="skipped" classname="Sum"><skipped message="x"/></testcase>
    <testcase name="Wrong" status="run" result="completed" classname="Sum">
      <failure message="sum.cc:3&#x0A;Expected" type=""><![CDATA[x]]></failure>
      <failure message="sum.cc:4" type=""></failure>
    </testcase>
  </testsuite>
</testsuites>"#;
    assert_eq!(counts(report), (2, 1, 2));
}

#[test]
fn pytest_errors_and_expected_failures() {
    let report = r#"<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite
name="pytest" errors="1" failures="1" skipped="2" tests="5" time="0.05" hostname="h">
<testcase classname="test_a" name="test_ok"/><testcase classname="test_a" name="test_bad"><failure
message="assert 1 == 2">def test_bad</failure></testcase><testcase classname="test_a" name="test_err"><error
message="failed on setup with &quot;fixture 'x' not found&quot;">file x</error></testcase><testcase
classname="test_a" name="test_x"><skipped type="pytest.xfail" message=""/></testcase><testcase
classname="test_a" name="test_s"><skipped type="pytest.skip" message="no">x</skipped></testcase></testsuite></testsuites>"#;
    assert_eq!(counts(report), (3, 2, 2));
}

#[test]
fn jest_with_a_file_that_did_not_load() {
    let report = r#"<testsuites name="jest tests" tests="1" failures="0" errors="1" time="1.2">
  <testsuite name="sum" errors="0" failures="0" skipped="0" tests="1">
    <testcase classname="sum adds" name="sum adds" time="0.002"></testcase>
  </testsuite>
  <testsuite name="src/broken.test.js" errors="1" failures="0" skipped="0" tests="0"></testsuite>
</testsuites>"#;
    let counts = read_junit(report.as_bytes()).unwrap();
    assert_eq!((counts.ran, counts.failed), (1, 1));
    assert_eq!(counts.failures[0].name, "src/broken.test.js");
    assert_eq!(counts.failures[0].message, "the suite states 1 failure more than its tests show");
}

#[test]
fn nextest_and_go_junit_report() {
    let nextest = r#"<testsuites name="nextest-run" tests="3" failures="1" errors="0" uuid="x">
    <testsuite name="core" tests="3" disabled="0" errors="0" failures="1">
        <testcase name="a::passes" classname="core" timestamp="x" time="0.1"/>
        <testcase name="a::flaky" classname="core"><flakyFailure type="test failure"/></testcase>
        <testcase name="a::fails" classname="core">
            <failure type="test failure">thread panicked</failure>
            <rerunFailure type="test failure"/>
        </testcase>
    </testsuite>
</testsuites>"#;
    assert_eq!(counts(nextest), (3, 1, 0));
    assert_eq!(read_junit(nextest.as_bytes()).unwrap().failures[0].message, "thread panicked");
    let go = r#"<testsuites tests="3" failures="0" errors="1" skipped="1">
  <testsuite name="example.org/sum" tests="3" failures="0" errors="1" skipped="1" id="0">
    <testcase name="TestSum" classname="example.org/sum" time="0.000"></testcase>
    <testcase name="TestSkip" classname="example.org/sum"><skipped message="Skipped"></skipped></testcase>
    <testcase name="[build failed]" classname="example.org/sum"><error message="Build error">x</error></testcase>
  </testsuite>
</testsuites>"#;
    assert_eq!(counts(go), (2, 1, 1));
}

#[test]
fn ctest_says_failed_by_its_status() {
    let report = r#"<testsuite name="ctest" tests="3" failures="1" disabled="1" skipped="0">
  <testcase name="a" classname="a" status="run"/>
  <testcase name="b" classname="b" status="fail"/>
  <testcase name="c" classname="c" status="disabled"/>
</testsuite>"#;
    assert_eq!(counts(report), (2, 1, 1));
    assert_eq!(read_junit(report.as_bytes()).unwrap().failures[0].name, "b");
}

#[test]
fn nested_suites_count_each_failure_once() {
    let report = r#"<testsuites failures="2" errors="1"><testsuite failures="2" errors="1">
<testsuite name="a" failures="1"><testcase name="x"><failure/></testcase></testsuite>
<testsuite name="b" errors="1" failures="1" tests="0"/>
</testsuite></testsuites>"#;
    assert_eq!(counts(report), (1, 3, 0));
}

#[test]
fn cases_are_trusted_and_sums_are_not() {
    assert_eq!(counts(r#"<testsuite tests="5000" failures="0"/>"#), (0, 0, 0));
    let hidden =
        r#"<testsuite tests="1" failures="0"><testcase name="a"><error/></testcase></testsuite>"#;
    assert_eq!(counts(hidden), (1, 1, 0));
    let odd = r#"<testsuite tests="many" failures="-1" errors=""><testcase name="a"/></testsuite>"#;
    assert_eq!(counts(odd), (1, 0, 0));
    let stated = format!(r#"<testsuite errors="{0}" failures="{0}"/>"#, u64::MAX);
    assert_eq!(counts(&stated), (0, u64::MAX, 0));
}

#[test]
fn a_fault_of_a_suite_counts_and_skipping_hides_no_failure() {
    assert_eq!(counts("<testsuite><error message='setup'/><testcase/></testsuite>"), (1, 1, 0));
    let both = "<testsuite><testcase><failure/><skipped/></testcase></testsuite>";
    assert_eq!(counts(both), (1, 1, 0));
    let both = "<testsuite><testcase><failure/><error/></testcase></testsuite>";
    assert_eq!(counts(both), (1, 1, 0));
}

#[test]
fn what_is_no_whole_report_is_refused() {
    assert_eq!(why(b"<html></html>"), "is not a JUnit report: it begins with `<html>`");
    assert_eq!(why(b"<testcase/>"), "is not a JUnit report: it begins with `<testcase>`");
    assert_eq!(why(b""), "is empty");
    assert_eq!(why(b"<testsuite><testcase/>"), "is cut off: it ends inside `testsuite`");
    assert_eq!(why(b"<testsuite>\xff</testsuite>"), "is not UTF-8 text");
    assert!(why(b"<testsuite").starts_with("is broken XML in line 1"));
    let mut bomb = "<!DOCTYPE testsuite [<!ENTITY l0 \"lol\">".to_owned();
    for n in 1..10 {
        let ten = format!("&l{};", n - 1).repeat(10);
        bomb.push_str(&format!("<!ENTITY l{n} \"{ten}\">"));
    }
    bomb.push_str("]><testsuite name=\"&l9;\"><testcase name=\"&l9;\">&l9;</testcase></testsuite>");
    assert_eq!(why(bomb.as_bytes()), Unreadable::Entities.to_string());
}

#[test]
fn huge_attributes_and_texts_are_cut() {
    let huge = "x".repeat(1 << 20);
    let report = format!(
        "<testsuite name='{huge}'><testcase name='{huge}'><failure message='{huge}'>{huge}\
         </failure></testcase><testcase name='b'><failure>{huge}</failure></testcase></testsuite>"
    );
    let counts = read_junit(report.as_bytes()).unwrap();
    assert_eq!(counts.failed, 2);
    for FailedTest { name, message, .. } in counts.failures {
        assert!(name.chars().count() <= MAX_NAME + 1 && message.chars().count() <= MAX_MESSAGE + 1);
    }
}

#[test]
fn only_the_first_failures_are_listed() {
    let cases = "<testcase name='t'><failure/></testcase>".repeat(1000);
    let mut counts = read_junit(format!("<testsuite>{cases}</testsuite>").as_bytes()).unwrap();
    counts.add(counts.clone());
    assert_eq!((counts.failed, counts.failures.len()), (2000, MAX_LISTED_FAILURES));
}

#[test]
fn utf_16_is_read_by_its_mark() {
    let report = "<testsuite><testcase name='ä'/></testsuite>";
    let bytes: Vec<u8> =
        std::iter::once(0xfeff).chain(report.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(read_junit(&bytes).unwrap().ran, 1);
}

/// What becomes of a generated test: passed, failed, in error, skipped.
fn case(kind: u8) -> &'static str {
    [
        "<testcase name='a'/>",
        "<testcase><failure>x</failure></testcase>",
        "<testcase><error message='&lt;'/></testcase>",
        "<testcase><skipped/></testcase>",
    ][usize::from(kind)]
}

proptest! {
    #[test]
    fn a_report_of_n_cases_counts_n(suites in prop::collection::vec(
        prop::collection::vec(0..4u8, 0..30), 0..8
    ), nested in any::<bool>()) {
        let mut report = "<testsuites>".to_owned();
        for suite in &suites {
            let bad = suite.iter().filter(|kind| [1, 2].contains(*kind)).count();
            report.push_str(&format!("<testsuite tests='7' failures='{bad}'>"));
            suite.iter().for_each(|kind| report.push_str(case(*kind)));
            if !nested {
                report.push_str("</testsuite>");
            }
        }
        if nested {
            report.push_str(&"</testsuite>".repeat(suites.len()));
        }
        report.push_str("</testsuites>");
        let all: Vec<u8> = suites.concat();
        let count = |kinds: &[u8]| all.iter().filter(|kind| kinds.contains(kind)).count() as u64;
        let counts = read_junit(report.as_bytes()).unwrap();
        prop_assert_eq!(
            (counts.ran, counts.failed, counts.skipped),
            (count(&[0, 1, 2]), count(&[1, 2]), count(&[3]))
        );
    }

    #[test]
    fn any_bytes_are_counted_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_junit(&bytes);
    }

    #[test]
    fn a_report_that_is_cut_anywhere_is_refused(cut in 0..100usize) {
        let report = "<testsuites><testsuite name='a'><testcase name='b'><failure>c</failure></testcase></testsuite></testsuites>";
        let cut = cut.min(report.len() - 1);
        prop_assert!(read_junit(&report.as_bytes()[..cut]).is_err());
    }
}

#[test]
fn what_became_of_each_test_is_told_by_name_and_the_worst_counts() {
    let report = r#"<testsuites>
        <testsuite name="s" errors="2">
          <testcase classname="a" name="passes"/>
          <testcase classname="a" name="skips"><skipped/></testcase>
          <testcase classname="a" name="many"/>
          <testcase classname="a" name="many"><failure/></testcase>
        </testsuite>
      </testsuites>"#;
    let mut results = TestResults::from([("b.x".to_owned(), TestResult::Passed)]);
    let counts = read_junit_results(report.as_bytes(), &mut results).unwrap();
    assert_eq!((counts.ran, counts.failed, counts.skipped), (3, 2, 1));
    let named = results.iter().map(|(name, result)| (name.as_str(), *result));
    assert_eq!(
        named.collect::<Vec<_>>(),
        [
            ("a.many", TestResult::Failed),
            ("a.passes", TestResult::Passed),
            ("a.skips", TestResult::Skipped),
            ("b.x", TestResult::Passed),
            ("s", TestResult::Failed),
        ]
    );
}

#[test]
fn a_failed_test_is_told_with_its_place_and_its_words() {
    let report = r#"<testsuite><testcase classname="cart" name="adds" file="test/cart.js" line="9">
        <failure message="3 == 4"/></testcase>
      <testcase name="other" file="test/other.js"><failure/></testcase></testsuite>"#;
    let told = read_junit(report.as_bytes()).unwrap().failures_in_words();
    assert_eq!(told, "failed: cart.adds (test/cart.js:9): 3 == 4\nfailed: other (test/other.js)\n");
}
