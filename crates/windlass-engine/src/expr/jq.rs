//! The language itself.

use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, data, unwrap_valr};
use jaq_json::Val;
use serde_json::Value;

/// More values than any criterion can mean; an expression that gives more is wrong.
const MAX_VALUES: usize = 10_000;

/// Functions whose value is not a function of the document.
const IMPURE: &[&str] = &[
    "now",
    "localtime",
    "mktime",
    "strflocaltime",
    "input",
    "inputs",
    "debug",
    "stderr",
    "env",
    "halt",
    "halt_error",
    "input_line_number",
    "input_filename",
    "$__prog_args",
];

/// Why an expression has no value.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum EvaluateError {
    #[error("`{expr}` is not a jq expression: {message}")]
    Syntax { expr: String, message: String },
    #[error("`{expr}` failed: {message}")]
    Failed { expr: String, message: String },
    #[error("`{expr}` gives more than {MAX_VALUES} values")]
    TooMany { expr: String },
    #[error("`{expr}` took too long or too much memory")]
    OverLimit { expr: String },
    #[error("could not start the process that evaluates expressions")]
    Process(#[source] std::io::Error),
}

type Data = data::JustLut<Val>;

/// Says whether `expr` is an expression, without evaluating it.
///
/// # Errors
/// It is not; the message says where.
pub fn check(expr: &str) -> Result<(), EvaluateError> {
    compile(expr).map(drop)
}

/// Evaluates `expr` over `document`, in this process and without a bound.
///
/// # Errors
/// It is no expression, or it failed.
pub fn evaluate(expr: &str, document: &Value) -> Result<Vec<Value>, EvaluateError> {
    let failed = |message: String| EvaluateError::Failed { expr: expr.to_owned(), message };
    let filter = compile(expr)?;
    let input: Val = serde_json::from_value(document.clone()).map_err(|e| failed(e.to_string()))?;
    let context = Ctx::<Data>::new(&filter.lut, Vars::new([]));
    let mut values = Vec::new();
    for value in filter.id.run((context, input)).map(unwrap_valr) {
        let value = value.map_err(|error| failed(error.to_string()))?;
        if values.len() == MAX_VALUES {
            return Err(EvaluateError::TooMany { expr: expr.to_owned() });
        }
        values.push(serde_json::from_str(&value.to_string()).map_err(|e| failed(e.to_string()))?);
    }
    Ok(values)
}

fn compile(expr: &str) -> Result<jaq_core::Filter<Data>, EvaluateError> {
    let syntax = |message: String| EvaluateError::Syntax { expr: expr.to_owned(), message };
    let definitions = jaq_core::defs()
        .chain(jaq_std::defs())
        .chain(jaq_json::defs())
        .filter(|definition| !IMPURE.contains(&definition.name));
    let functions = jaq_core::funs()
        .chain(jaq_std::funs())
        .chain(jaq_json::funs())
        .filter(|function| !IMPURE.contains(&function.0));
    let arena = Arena::default();
    let loader = Loader::new(definitions);
    let modules = loader
        .load(&arena, File { code: expr, path: () })
        .map_err(|errors| syntax(load_message(&errors)))?;
    Compiler::default().with_funs(functions).compile(modules).map_err(|errors| {
        let unknown = errors.iter().flat_map(|(_, errors)| errors);
        let names: Vec<String> =
            unknown.map(|(name, _)| format!("unknown name `{name}`")).collect();
        syntax(names.join(", "))
    })
}

fn load_message(errors: &jaq_core::load::Errors<&str, ()>) -> String {
    use jaq_core::load::Error;
    let messages = errors.iter().flat_map(|(_, error)| match error {
        Error::Io(errors) => {
            errors.iter().map(|(path, _)| format!("cannot load `{path}`")).collect()
        }
        Error::Lex(errors) => errors
            .iter()
            .map(|(expected, found)| {
                format!("expected {} at `{}`", expected.as_str(), brief(found))
            })
            .collect(),
        Error::Parse(errors) => errors
            .iter()
            .map(|(expected, found)| {
                format!("expected {} at `{}`", expected.as_str(), brief(found))
            })
            .collect::<Vec<_>>(),
    });
    messages.collect::<Vec<_>>().join(", ")
}

fn brief(found: &str) -> String {
    if found.is_empty() { "the end".to_owned() } else { found.chars().take(30).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn expressions_see_the_document() {
        let document = json!({"context": {"fixes": [{"file": "a.sql"}, {"file": "b.ts"}]}});
        assert_eq!(
            evaluate(".context.fixes[].file", &document).unwrap(),
            [json!("a.sql"), json!("b.ts")]
        );
        assert_eq!(evaluate(".context.none == null", &document).unwrap(), [json!(true)]);
        assert_eq!(
            evaluate("[.context.fixes[] | .file | test(\"sql\")]", &document).unwrap(),
            [json!([true, false])]
        );
    }

    #[test]
    fn what_is_not_a_function_of_the_document_does_not_exist() {
        for expr in ["now", "env", "$ENV", "input", "inputs", "debug", "localtime", "halt"] {
            assert!(check(expr).is_err(), "{expr}");
        }
    }

    #[test]
    fn a_broken_expression_says_where() {
        let error = check(".a | ]").unwrap_err().to_string();
        assert!(error.contains("expected"), "{error}");
        assert!(evaluate(".a.b", &json!({"a": "text"})).is_err());
    }
}
