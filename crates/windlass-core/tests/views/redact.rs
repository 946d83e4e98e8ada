//! Planted secrets never come through, whatever stands around them.

use std::sync::LazyLock;

use proptest::prelude::*;
use windlass_core::view::Redaction;

static REDACTION: LazyLock<Redaction> = LazyLock::new(|| {
    let names = ["adalovelace", "Ada Lovelace", "engine-room"];
    Redaction::new(["/srv/people/adalovelace".to_owned()], names.map(str::to_owned))
});

/// A text with a secret in it, and the part that must not come through.
fn planted() -> impl Strategy<Value = (String, String)> {
    let own = |text: String| (text.clone(), text);
    prop_oneof![
        "sk-[A-Za-z0-9]{20,40}".prop_map(own),
        "sk-ant-[a-z0-9]{3}-[A-Za-z0-9]{20,40}".prop_map(own),
        "gh[pousr]_[A-Za-z0-9]{36}".prop_map(own),
        "github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{30}".prop_map(own),
        "glpat-[A-Za-z0-9]{20}".prop_map(own),
        "xoxb-[0-9]{10}-[A-Za-z0-9]{20}".prop_map(own),
        "AKIA[A-Z0-9]{16}".prop_map(own),
        "AIza[A-Za-z0-9]{35}".prop_map(own),
        "eyJ[A-Za-z0-9]{20}\\.[A-Za-z0-9]{20}\\.[A-Za-z0-9]{20}".prop_map(own),
        "[a-z]{6,12}\\.[a-z]{3,8}@[a-z]{4,10}\\.(org|com|de)".prop_map(own),
        ("(Bearer|bearer|Basic)", "[A-Za-z0-9]{12,30}")
            .prop_map(|(how, s)| (format!("{how} {s}"), s)),
        (
            "[A-Z]{2,8}_(TOKEN|SECRET|PASSWORD|API_KEY)",
            "(=|: |=\"| = ')",
            "[A-Za-z0-9!#%^&*]{10,24}"
        )
            .prop_map(|(name, sign, s)| (format!("{name}{sign}{s}"), s)),
        ("(https|ssh|postgres)", "[a-z]{6,9}", "[A-Za-z0-9]{10,20}", "[a-z]{8,12}").prop_map(
            |(scheme, user, s, host)| (format!("{scheme}://{user}:{s}@{host}.net/x.git"), s)
        ),
        "[a-z]{8,12}".prop_map(|org| (format!("git@github.com:{org}/tool.git"), org)),
        "[A-Za-z0-9+]{200}".prop_map(|s| {
            let block = format!(
                "-----BEGIN OPENSSH PRIVATE KEY-----\n{s}\n-----END OPENSSH PRIVATE KEY-----"
            );
            (block, s)
        }),
        Just(("/srv/people/adalovelace/x".to_owned(), "adalovelace".to_owned())),
        "[a-z]{8,12}".prop_map(|user| (format!("/home/{user}/project"), user)),
        Just(("person:adalovelace".to_owned(), "adalovelace".to_owned())),
        Just(("ADALOVELACE did it".to_owned(), "ADALOVELACE".to_owned())),
        Just(("by Ada Lovelace".to_owned(), "Lovelace".to_owned())),
    ]
}

/// What may stand around it: prose, shell, JSON, output of tools.
fn around() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[ -~]{0,40}[ \n\t(\\[{<\"'`,;|]".prop_map(|text| text),
        "(\\PC){0,20} ",
        Just("export ".to_owned()),
        Just("curl -H '".to_owned()),
        Just("\x1b[31m".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn a_planted_secret_never_comes_through(
        before in around(),
        (planted, secret) in planted(),
        after in prop_oneof![Just(String::new()), "[ \n\"'`,;)\\]}>][ -~]{0,40}"],
    ) {
        let text = format!("{before}{planted}{after}");
        prop_assume!(!before.contains(&secret) && !after.contains(&secret));
        let redacted = REDACTION.text(&text);
        prop_assert!(!redacted.contains(&secret), "{text:?} became {redacted:?}");
    }

    #[test]
    fn nor_out_of_json(
        key in "[a-z]{1,10}",
        (planted, secret) in planted(),
        before in around(),
    ) {
        let text = format!("{before}{planted}");
        let value = serde_json::json!({"list": [{key: text}], "text": {"a": planted}});
        let redacted = REDACTION.json(&value).to_string();
        prop_assume!(!before.contains(&secret));
        prop_assert!(!redacted.contains(&secret), "{value} became {redacted}");
    }
}
