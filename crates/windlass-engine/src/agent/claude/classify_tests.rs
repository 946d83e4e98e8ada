use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::stream::{Told, read};
use super::*;

/// 2026-11-15 12:00:00 UTC.
const NOON: Timestamp = Timestamp(1_794_744_000_000);

fn init() -> Value {
    json!({"type": "system", "subtype": "init", "session_id": "s-1", "model": "claude-opus-5-5"})
}

fn result(change: &Value) -> Value {
    let mut message = json!({
        "type": "result", "subtype": "success", "is_error": false, "result": "Done.",
        "num_turns": 2, "terminal_reason": "completed", "api_error_status": null,
        "session_id": "s-1", "total_cost_usd": 0.0012, "result_index": 0,
        "usage": {"input_tokens": 200, "output_tokens": 20},
        "modelUsage": {"claude-opus-5-5": {"inputTokens": 200, "outputTokens": 20,
            "cacheReadInputTokens": 5, "cacheCreationInputTokens": 1, "costUSD": 0.0012}},
    });
    for (key, value) in change.as_object().into_iter().flatten() {
        message[key] = value.clone();
    }
    message
}

fn exited(code: i32) -> Outcome {
    Outcome::Exited { code }
}

fn judged(messages: &[Value]) -> Outcome {
    outcome(exited(1), &read(messages), "", NOON)
}

fn api_error(status: &Value, says: &str) -> Outcome {
    let change = json!({"is_error": true, "terminal_reason": "api_error",
        "api_error_status": status, "result": says, "total_cost_usd": 0});
    judged(&[init(), result(&change)])
}

fn category(outcome: &Outcome) -> Category {
    match outcome {
        Outcome::AgentFailed { category, .. } => *category,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_turn_that_completed_is_judged_by_what_it_left() {
    assert_eq!(judged(&[init(), result(&json!({}))]), exited(1));
    // A stop that was overridden, a hook that stopped it: the words are `success` all the same.
    for reason in ["stop_hook_prevented", "hook_stopped", "tool_deferred"] {
        let odd = result(&json!({"terminal_reason": reason, "result": ""}));
        assert_eq!(judged(&[init(), odd]), exited(1));
    }
    let turns = result(&json!({"is_error": true, "subtype": "error_max_turns",
        "terminal_reason": "max_turns", "result": null, "errors": ["Reached maximum turns"]}));
    assert!(judged(&[init(), turns]).was_cut_off(), "nobody knows what was still to come");
}

#[test]
fn a_limit_is_a_limit_with_the_moment_that_was_stated() {
    let limit = |outcome| match outcome {
        Outcome::ProviderLimit { resets_at, .. } => resets_at.map(|at| at.since(NOON).0 / 1000),
        other => panic!("{other:?}"),
    };
    let says = "API Error: Request rejected (429) · This request would exceed your rate limit";
    assert_eq!(limit(api_error(&json!(429), says)), None);
    let says = "API Error: Request rejected (429) · retry after 90 seconds";
    assert_eq!(limit(api_error(&json!(429), says)), Some(90));
    let says = "Claude AI usage limit reached|1794747600";
    assert_eq!(limit(api_error(&json!(null), says)), Some(3600));
    let says = "You've hit your limit · resets 2pm (UTC)";
    assert_eq!(limit(api_error(&json!(null), says)), Some(7200));
    // A subscription's limit is told in a message of its own.
    let event = json!({"type": "rate_limit_event", "rate_limit_info":
        {"status": "rejected", "resetsAt": 1_794_744_060, "rateLimitType": "five_hour"}});
    let failed = result(&json!({"is_error": true, "terminal_reason": "api_error",
        "api_error_status": 429, "result": "limit"}));
    assert_eq!(limit(judged(&[init(), event, failed])), Some(60));
}

#[test]
fn what_only_a_person_can_put_right_says_how() {
    for (status, says) in [
        (json!(401), "Invalid API key · Fix external API key"),
        (json!(403), "Request not allowed"),
        (json!(null), "Not logged in · Please run /login"),
        (json!(400), "Credit balance is too low"),
        (json!(404), "There's an issue with the selected model (x)."),
    ] {
        let judged = api_error(&status, says);
        assert_eq!(category(&judged), Category::External, "{says}");
    }
    let Outcome::AgentFailed { message, .. } = api_error(&json!(401), "Invalid API key") else {
        panic!()
    };
    assert!(message.contains("ANTHROPIC_API_KEY"), "{message}");
}

#[test]
fn the_provider_s_own_trouble_is_no_fault_of_the_work() {
    for (status, says) in [
        (json!(529), "API Error: 529 Overloaded."),
        (json!(500), "API Error: 500"),
        (json!(null), "API Error: Connection error."),
    ] {
        assert_eq!(category(&api_error(&status, says)), Category::Infra, "{says}");
    }
    let long = result(&json!({"is_error": true, "terminal_reason": "prompt_too_long"}));
    assert_eq!(category(&judged(&[init(), long])), Category::Code);
}

#[test]
fn money_that_is_used_up_is_told_as_such() {
    let spent =
        result(&json!({"is_error": true, "subtype": "error_max_budget_usd", "result": null,
        "terminal_reason": "budget_exhausted", "errors": ["Reached maximum budget ($1)"]}));
    let message = "Reached maximum budget ($1)".to_owned();
    assert_eq!(judged(&[init(), spent]), Outcome::OverBudget { message });
}

#[test]
fn an_end_without_a_result_is_no_success_whatever_the_code() {
    for code in [0, 1, 137, 143] {
        let cut = outcome(exited(code), &read(&[init()]), "", NOON);
        assert!(matches!(cut, Outcome::Interrupted { .. }), "{cut:?}");
        let never = outcome(exited(code), &read(&[]), "", NOON);
        assert_eq!(category(&never), Category::Infra);
    }
    let old = outcome(exited(1), &read(&[]), "error: unknown option '--tools'\n", NOON);
    assert_eq!(category(&old), Category::External);
    let killed = outcome(Outcome::Signalled { signal: 9 }, &read(&[init()]), "", NOON);
    assert!(matches!(killed, Outcome::Interrupted { .. }));
}

#[test]
fn what_windlass_ended_stays_as_windlass_saw_it() {
    let told = read(&[init(), result(&json!({"is_error": true, "api_error_status": 429}))]);
    let over = Outcome::OverLimit { what: "output".to_owned() };
    for process in [Outcome::TimedOut, Outcome::Idle, Outcome::Cancelled, over] {
        assert_eq!(outcome(process.clone(), &told, "", NOON), process);
    }
}

#[test]
fn of_several_results_the_last_decides_and_figures_add_up_once() {
    let part = |change: &Value| read(&[init(), result(&json!({})), init(), result(change)]);
    let totals = json!({"num_turns": 1, "total_cost_usd": 0.0024, "modelUsage": {
        "claude-haiku": {"inputTokens": 10, "outputTokens": 1},
        "claude-opus-5-5": {"inputTokens": 400, "outputTokens": 40}}});
    let told = part(&totals);
    let used = told.used.unwrap();
    assert_eq!((used.read, used.written, used.cost_usd), (410, 41, Some(0.0024)));
    assert_eq!(told.turns, Some(3));
    assert_eq!(told.model.as_deref(), Some("claude-opus-5-5"));
    assert_eq!(told.session.as_deref(), Some("s-1"));
    let failed = result(&json!({"is_error": true, "terminal_reason": "api_error",
        "api_error_status": 529}));
    assert_eq!(category(&judged(&[init(), result(&json!({})), failed])), Category::Infra);
}

#[test]
fn what_was_spent_before_a_conversation_was_resumed_is_not_counted_again() {
    let since = |tokens: u64, cost: f64| {
        result(&json!({"total_cost_usd": 0.4 + cost, "modelUsage": {
                "claude-opus-5-5": {"inputTokens": 100_000 + tokens, "outputTokens": 50}},
            "model_usage_since_last_result": {"claude-opus-5-5":
                {"inputTokens": tokens, "outputTokens": 10, "costUSD": cost}}}))
    };
    let used = read(&[init(), since(1000, 0.25), init(), since(500, 0.5)]).used.unwrap();
    assert_eq!((used.read, used.written, used.cost_usd), (1500, 20, Some(0.75)));
    let nothing = result(&json!({"model_usage_since_last_result": {}, "total_cost_usd": 0.4}));
    assert_eq!(read(&[init(), nothing]).used.unwrap().cost_usd, Some(0.0));
}

#[test]
fn a_subagent_s_failure_is_not_the_attempt_s() {
    let subagent = json!({"type": "assistant", "parent_tool_use_id": "t", "error": "rate_limit"});
    assert_eq!(judged(&[init(), subagent, result(&json!({}))]), exited(1));
    let own = json!({"type": "assistant", "parent_tool_use_id": null, "error": "rate_limit"});
    let judged = judged(&[init(), own, result(&json!({}))]);
    assert!(matches!(judged, Outcome::ProviderLimit { .. }), "{judged:?}");
}

#[test]
fn nothing_but_a_whole_result_counts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("output");
    let whole = format!("{}\n{}\n", init(), result(&json!({})));
    let told = |bytes: &[u8]| {
        fs_err::write(&file, bytes).unwrap();
        read(&super::super::super::kept::messages(&file))
    };
    assert!(told(whole.as_bytes()).ended.is_some());
    for cut in [1, 40, 200] {
        let bytes = &whole.as_bytes()[..whole.len() - 1 - cut];
        assert_eq!(told(bytes).ended, None, "cut by {cut}");
    }
    let huge = vec![b'{'; 3 << 20];
    assert!(!told(&huge).started);
    assert_eq!(told(&vec![b'x'; 20 << 20]), Told::default(), "more than is ever kept");
}

proptest! {
    #[test]
    fn no_garbage_is_taken_for_success(lines in prop::collection::vec("\\PC{0,60}", 0..8)) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("output");
        fs_err::write(&file, lines.join("\n")).unwrap();
        let told = read(&super::super::super::kept::messages(&file));
        let judged = outcome(exited(0), &told, "", NOON);
        prop_assert!(matches!(judged, Outcome::AgentFailed { .. }), "{:?}", judged);
    }
}

#[test]
fn a_limit_that_ends_in_the_far_future_has_no_known_end() {
    let limited = result(&json!({"is_error": true, "api_error_status": 429, "result": "limit"}));
    let ends = |at: i64| {
        let event = json!({"type": "rate_limit_event",
            "rate_limit_info": {"status": "rejected", "resetsAt": at}});
        match judged(&[init(), event, limited.clone()]) {
            Outcome::ProviderLimit { resets_at, .. } => resets_at,
            other => panic!("{other:?}"),
        }
    };
    let hour = NOON.0 / 1000 + 3600;
    assert_eq!(ends(hour), Some(Timestamp(hour * 1000)));
    for far in [hour * 1000, i64::MAX, NOON.0 / 1000 - 1, i64::MIN] {
        assert_eq!(ends(far), None, "{far}");
    }
}

#[test]
fn figures_that_cannot_be_are_not_added_up() {
    let most = json!({"m": {"inputTokens": u64::MAX, "outputTokens": u64::MAX, "costUSD": 1e308}});
    let huge = result(&json!({"model_usage_since_last_result": most}));
    let used = read(&[init(), huge.clone(), huge]).used.unwrap();
    assert_eq!((used.read, used.written, used.cost_usd), (u64::MAX, u64::MAX, None));
    let paid = json!({"m": {"inputTokens": 1, "outputTokens": 1, "costUSD": -100}});
    let paid = result(&json!({"total_cost_usd": -100, "modelUsage": paid}));
    assert_eq!(read(&[init(), paid]).used.unwrap().cost_usd, None, "nobody is paid");
}
