//! The line that tells an editor where the schema of a workflow file is.

use super::schema::{SCHEMA_BESIDE_WORKFLOWS, schema_modeline};

/// Returns the first line of a workflow file in `.windlass/workflows`, for editors.
pub fn modeline() -> String {
    format!("{}\n", schema_modeline(SCHEMA_BESIDE_WORKFLOWS))
}
