//! Test credentials that the project itself carries, in its example files.

use super::Find;

/// Words that stand where somebody has to write a value.
const PLACEHOLDERS: [&str; 9] = [
    "changeme",
    "change-me",
    "change_me",
    "your",
    "todo",
    "xxx",
    "placeholder",
    "secret-here",
    "<",
];

/// Returns whether a file of this name shows which variables the project needs: `.env.example` and the like.
pub fn is_example(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let Some(rest) = name.trim_start_matches('.').strip_prefix("env") else { return false };
    let endings = ["example", "sample", "template", "dist", "test", "testing", "development"];
    let parts: Vec<&str> = rest.split('.').filter(|part| !part.is_empty()).collect();
    !parts.is_empty() && parts.iter().all(|part| endings.contains(part) || *part == "local")
}

/// Says of each find where its test credentials are, or what to ask a person for. `examples` are the
/// example files, each with its text.
pub fn with_credentials(finds: Vec<Find>, examples: &[(String, String)]) -> Vec<Find> {
    finds.into_iter().map(|find| look_up(find, examples)).collect()
}

fn look_up(mut find: Find, examples: &[(String, String)]) -> Find {
    if !find.needs_secrets {
        return find;
    }
    for (path, text) in examples {
        let names = text.lines().filter_map(filled).filter(|name| belongs(name, &find));
        let found: Vec<String> = names.map(|name| format!("{name} in {path}")).collect();
        find.test_credentials.extend(found);
    }
    if find.test_credentials.is_empty() {
        let named = match find.secrets.as_slice() {
            [] => String::new(),
            secrets => format!(" ({})", secrets.join(", ")),
        };
        let service = &find.keyword;
        find.ask = Some(format!(
            "where are test credentials for {service}{named}, or is the stand-in enough?"
        ));
    }
    find
}

/// The name of a variable that has a value which is meant.
fn filled(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let value = value.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let meant = !value.is_empty() && !PLACEHOLDERS.iter().any(|word| value.starts_with(word));
    (is_name && meant).then_some(name)
}

/// Whether a variable holds a secret of the service: by its usual name, or by the name of the service.
fn belongs(name: &str, find: &Find) -> bool {
    let word = find.keyword.split([' ', '-']).next().unwrap_or_default().to_ascii_uppercase();
    let of_service = word.len() > 2 && name.to_ascii_uppercase().starts_with(&format!("{word}_"));
    of_service || find.secrets.iter().any(|secret| secret == name)
}

#[cfg(test)]
mod tests {
    use super::super::{STORY, Services};
    use super::*;

    fn looked_up(text: &str, example: &str) -> Find {
        let finds = Services::new(&[]).in_text(text, STORY);
        let examples = [(".env.example".to_owned(), example.to_owned())];
        with_credentials(finds, &examples).remove(0)
    }

    #[test]
    fn example_files_are_known_by_their_names() {
        for name in
            [".env.example", ".env.sample", "env.template", ".env.test", ".env.local.example"]
        {
            assert!(is_example(name), "{name}");
        }
        // What is not made to be shown may hold the real ones.
        for name in [".env", ".env.production", "environment.ts", "example.env.js", ".envrc"] {
            assert!(!is_example(name), "{name}");
        }
    }

    #[test]
    fn a_value_that_is_meant_is_a_test_credential_and_without_one_a_person_is_asked() {
        let found =
            looked_up("pay by Stripe", "# keys\nexport STRIPE_SECRET_KEY=sk_test_1\nOTHER=x\n");
        assert_eq!(found.test_credentials, ["STRIPE_SECRET_KEY in .env.example"]);
        assert_eq!(found.ask, None);
        for empty in
            ["", "STRIPE_SECRET_KEY=", "STRIPE_SECRET_KEY=\"your-key\"", "STRIPE_SECRET_KEY=<key>"]
        {
            let found = looked_up("pay by Stripe", empty);
            assert_eq!(found.test_credentials, [""; 0], "{empty}");
            assert!(found.ask.unwrap().contains("STRIPE_SECRET_KEY"), "{empty}");
        }
        assert_eq!(looked_up("a Kafka topic", "").ask, None, "it needs no secret");
    }
}
