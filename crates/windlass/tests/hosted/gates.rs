//! What a person's messages do at a gate, and what nobody's do.
