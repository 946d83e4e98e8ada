//! stub
use serde_json::Value;
/// stub
#[derive(Debug, thiserror::Error)]
#[error("stub")]
pub struct MissingContext;
/// stub
pub fn fill_context(text: &str, _context: &Value) -> Result<String, MissingContext> {
    Ok(text.to_owned())
}
