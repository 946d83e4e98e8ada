//! `windlass schema`: the grammar of workflow files for editors and for people.

use std::process::ExitCode;

use windlass_core::workflow::{
    questions_schema, reference, schema_modeline, schema_text, stories_schema,
};

use crate::cli::{SchemaArguments, SchemaOf};
use crate::error::CommandError;
use crate::output::Output;

pub(crate) fn schema(
    arguments: &SchemaArguments,
    output: &mut Output,
) -> Result<ExitCode, CommandError> {
    let (name, text) = match &arguments.modeline {
        Some(schema) => ("modeline", schema_modeline(schema)),
        None if arguments.markdown => ("markdown", reference()),
        // The schema is JSON already.
        None => {
            let text = match arguments.of {
                SchemaOf::Workflow => schema_text(),
                SchemaOf::Stories => format!("{:#}", stories_schema()),
                SchemaOf::Questions => format!("{:#}", questions_schema()),
            };
            output.data(text.trim_end());
            return Ok(ExitCode::SUCCESS);
        }
    };
    if output.is_json() {
        output.json(&serde_json::json!({name: text}));
    } else {
        output.data(text.trim_end());
    }
    Ok(ExitCode::SUCCESS)
}
