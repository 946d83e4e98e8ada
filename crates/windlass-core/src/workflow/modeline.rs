//! The line that tells an editor where the schema of a workflow file is.

/// Returns the first lines of a workflow file in `.windlass/workflows`, for editors.
pub fn modeline() -> &'static str {
    "# yaml-language-server: $schema=../workflow.schema.json\n\
     # (for editors; make that file with `windlass schema > .windlass/workflow.schema.json`)\n"
}
