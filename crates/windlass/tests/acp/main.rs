//! Gemini CLI, opencode and Qwen Code through the Agent Client Protocol, against a scripted model.
//!
//! A target of its own, which CI does not run:
//!
//! ```text
//! .ci/agents acp && cargo nextest run -p windlass --test acp --run-ignored all
//! ```
//!
//! What came of it is written down in `docs/acp.md`.

mod limits;
mod resumed;
mod support;
mod turns;
