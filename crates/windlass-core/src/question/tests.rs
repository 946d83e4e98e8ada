//! A file of questions: what it gives, every way in which it is wrong, and what silence answers.

use proptest::prelude::*;

use super::*;

const GOOD: &str = "
questions:
  - id: Q1
    category: errors
    question: Which answer should a missing user give?
    options: [{id: a, text: 404}, {id: b, text: an empty list}]
    recommended: a
  - {id: Q2, category: users, question: Who may delete?, options: [admins, everybody, nobody],
     recommended: B}
";

fn mistakes(text: &str, phase: Phase) -> Vec<String> {
    parse(text, phase).unwrap_err().iter().map(ToString::to_string).collect()
}

fn only(from: &str, to: &str) -> String {
    let good = GOOD.replace("text: 404", "text: not found");
    assert!(good.contains(from));
    let found = mistakes(&good.replacen(from, to, 1), Phase::Analysis);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.into_iter().next().unwrap()
}

#[test]
fn a_good_file_gives_questions_that_end_in_ones_own_judgment() {
    let good = GOOD.replace("text: 404", "text: not found");
    let questions = parse(&good, Phase::Analysis).unwrap();
    let ids: Vec<_> = questions[1].options.iter().map(|choice| choice.id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c", JUDGMENT]);
    assert_eq!(questions[1].recommended, "b");
    assert_eq!(questions[0].choice("A").unwrap().text, "not found");
    assert_eq!(questions[0].phase, Phase::Analysis);
    let text = serde_json::to_string(&questions).unwrap();
    assert_eq!(serde_json::from_str::<Vec<Question>>(&text).unwrap(), questions);
}

#[test]
fn a_complete_goal_needs_no_question() {
    assert_eq!(parse("questions: []", Phase::Planning), Ok(Vec::new()));
}

#[test]
fn all_mistakes_are_said_at_once_with_their_lines() {
    let text = "questions:\n- {id: 1, category: scpoe, question: A?, options: [a], recommended: z}\n\
                - {id: Q2, category: order, question: B?, options: [x, y], recomended: a}\n";
    insta::assert_snapshot!(mistakes(text, Phase::Analysis).join("\n"), @r#"
    line 2: expected text, found the number `1`: put it in quotes if text is meant
    line 2: `scpoe` is not a category of analysis questions: did you mean `scope`?
    line 2: a question has 2 to 4 options, this one 1: windlass itself adds "use your judgment"; it does not count
    line 3: a question needs `recommended`
    line 3: `order` is not a category of analysis questions: known here: `scope`, `priority`, `constraints`, `integration`, `users`, `data`, `errors`, `external`
    line 3: unknown key of a question: `recomended`: did you mean `recommended`?
    "#);
}

#[test]
fn each_rule_has_its_message() {
    for (from, to, why) in [
        ("id: Q2", "id: Q1", "the question `Q1` is there twice"),
        ("id: Q2", "id: Q0", "is not an id of a question"),
        ("recommended: B", "recommended: d", "`d` is none of the options"),
        ("recommended: B", "recommended: judgment", "`judgment` is none of the options"),
        ("admins, everybody, nobody", "all", "2 to 4 options, this one 1"),
        ("admins, everybody, nobody", "a, b, c, d, e", "2 to 4 options, this one 5"),
        ("nobody]", "Use your judgement.]", "windlass itself adds"),
        ("{id: b, ", "{id: A, ", "the option `A` is there twice"),
        ("{id: b, ", "{id: judgment, ", "is not an id of an option"),
        ("category: users", "category: order", "is not a category of analysis questions"),
        ("Who may delete?", "\" \"", "only blanks"),
    ] {
        let found = only(from, to);
        assert!(found.contains(why), "{to}: {found}");
    }
    let many: String = (1..=8)
        .map(|n| {
            format!(
                "- {{id: Q{n}, category: data, question: A?, options: [x, y], recommended: a}}\n"
            )
        })
        .collect();
    let found = mistakes(&format!("questions:\n{many}"), Phase::Analysis);
    assert!(found[0].contains("at most 7 questions, this one 8"), "{found:?}");
    let long = "x".repeat(501);
    assert!(only("Who may delete?", &long).contains("more than 500"));
}

fn question(text: &str, option: &str) -> Question {
    let choice = |id: &str, text: &str| Choice { id: id.to_owned(), text: text.to_owned() };
    Question {
        id: "Q1".to_owned(),
        phase: Phase::Analysis,
        category: "scope".to_owned(),
        question: text.to_owned(),
        options: vec![choice("a", "yes"), choice("b", option), choice(JUDGMENT, JUDGMENT_TEXT)],
        recommended: "b".to_owned(),
        rationale: None,
    }
}

#[test]
fn silence_never_answers_for_people() {
    for text in [
        "Where is the API key?",
        "May I use STRIPE_API_KEY of the machine?",
        "Which apiKey?",
        "Which access keys?",
        "Should the password be reset?",
        "What may it COST?",
        "May we spend 5 dollars?",
        "Deploy after the tests?",
        "Shall I publish the package?",
        "Who merges it?",
        "Push to main?",
        "Do we skip the gates?",
        "Is your approval needed?",
        "May I change protected files?",
        "May .github/workflows/ci.yml change?",
    ] {
        assert!(!is_assumable(&question(text, "no")), "{text}");
        assert!(!is_assumable(&question("Which one?", text)), "{text} as an option");
        assert_eq!(question(text, "no").assumed(), None);
    }
}

#[test]
fn other_questions_may_be_assumed() {
    for text in [
        "Which answer should a missing user give?",
        "Should the costume be blue?",
        "Do we send push notifications?",
        "What belongs to the first release?",
        "Use design tokens?",
        "Is navigation aggregated?",
    ] {
        let answer = question(text, "no").assumed().unwrap_or_else(|| panic!("{text}"));
        assert_eq!((answer.choice.as_deref(), answer.by), (Some("b"), AnsweredBy::Assumed));
    }
}

proptest! {
    #[test]
    fn no_text_makes_reading_fail(text in "[a-zQ0-9:\\[\\]{}\\-&*|>\"'#!, \n\t\u{0}é日]{0,300}") {
        let _ = parse(&text, Phase::Planning);
        let _ = parse(&format!("questions:\n- {text}"), Phase::Analysis);
        let _ = is_assumable(&question(&text, &text));
    }
}
