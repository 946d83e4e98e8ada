//! Agents that hide what they changed from whoever counts it or looks at it.

use windlass_testkit::test_env;

use crate::support::{JUDGED, caught, env, honest};

const FEW_LINES: &str = r#"
workflow: cheated
defaults: {retries: 1, timeout: 20s, idle_timeout: 10s}
steps:
  - {id: build, agent: developer, task: Change little., done: {diff: {max_lines: 20}}}
"#;

#[test]
fn lines_after_a_nul_byte_count() {
    honest(&test_env!(), FEW_LINES, "printf 'a\\0b\\nc\\n' > few");
    let many =
        "{ printf '\\0\\n'; i=0; while [ $i -lt 500 ]; do echo $i; i=$((i+1)); done; } > many";
    let finished = caught(&test_env!(), FEW_LINES, many);
    let said = "diff: 501 lines changed, at most 20 may";
    assert!(finished.stderr.contains(said), "{finished}");
}

#[test]
fn one_endless_line_counts_by_its_bytes() {
    caught(&test_env!(), FEW_LINES, "head -c 100000 /dev/zero | tr '\\0' x > line");
    caught(&test_env!(), FEW_LINES, "echo '* -diff' > .gitattributes; seq 500 > many");
}

#[test]
fn a_rigged_judge_is_shown_whatever_surrounds_it() {
    let env = env();
    let noise = "seq -f '# %0200.0f' 3000 >> judge.sh";
    let agent = format!(
        "printf '# \\0\\n' > judge.sh; {noise}; printf 'exit 0 # gone\\rexit 1\\n' >> judge.sh; \
         echo 'judge.sh binary' > .gitattributes; echo wrong > answer.txt"
    );
    assert_eq!(caught(&env, JUDGED, &agent).code, Some(3));
    let shown = env.windlass(&["diff", "build"]).stdout;
    assert!(shown.contains("+exit 0 # gone\\x0dexit 1"), "the end is not shown");
    let notes =
        "`.gitattributes` is new: it decides what a fresh clone writes; it says `judge.sh binary`";
    assert!(shown.contains(notes), "{}", &shown[..500]);
    let judge = shown.find("diff --git a/judge.sh").expect("the judge is shown");
    let answer = shown.find("diff --git a/answer.txt").expect("the work is shown");
    assert!(judge < answer, "what judges comes first");
    // What was kept for the gate is whole as well.
    let log = env.log_json();
    let gate = log.last("gate_opened").expect("a gate");
    let bytes = gate["gate"]["kind"]["protected"]["diff"]["bytes"].as_u64();
    assert!(bytes.is_some_and(|bytes| bytes > 600_000), "{gate:#}");
}
