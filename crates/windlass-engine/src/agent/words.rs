//! The last words of an agent, whatever form its output has.

use serde_json::Value;

/// How much of plain output counts as last words.
const PLAIN_BYTES: usize = 8 << 10;

/// Returns what an agent said last, given the end of its output: the final message of programs that print
/// a stream of JSON, else the last lines.
pub(crate) fn final_words(output: &str) -> String {
    let mut chunks: Vec<String> = Vec::new();
    let mut streams = false;
    for line in output.lines().rev() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        if !message.is_object() {
            continue;
        }
        streams = true;
        if message["event"] == "text" {
            // The text of one message comes in pieces.
            chunks.extend(message["text"].as_str().map(str::to_owned));
        } else if !chunks.is_empty() {
            break;
        } else if let Some(words) = whole(&message) {
            return words.to_owned();
        }
    }
    if streams {
        chunks.reverse();
        return chunks.concat();
    }
    let start = output.len().saturating_sub(PLAIN_BYTES);
    let start = (start..=output.len()).find(|at| output.is_char_boundary(*at)).unwrap_or(0);
    output[start..].to_owned()
}

/// The text of a message that is an agent's last one.
fn whole(message: &Value) -> Option<&str> {
    match message["type"].as_str()? {
        "result" => message["result"].as_str(),
        "item.completed" if message["item"]["type"] == "agent_message" => {
            message["item"]["text"].as_str()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_final_message_of_a_stream_is_what_counts() {
        let claude = "{\"type\":\"assistant\"}\n{\"type\":\"result\",\"result\":\"one\\ntwo\"}\n";
        assert_eq!(final_words(claude), "one\ntwo");
        let codex = "{\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"a\"}}\n\
                     {\"type\":\"item.completed\",\"item\":{\"type\":\"agent_message\",\"text\":\"b\"}}\n\
                     {\"type\":\"turn.completed\"}\n";
        assert_eq!(final_words(codex), "b");
        let acp = "{\"event\":\"text\",\"text\":\"before\"}\n{\"event\":\"tool\"}\n\
                   {\"event\":\"text\",\"text\":\"he\"}\n{\"event\":\"text\",\"text\":\"llo\"}\n\
                   {\"event\":\"ended\"}\n";
        assert_eq!(final_words(acp), "hello");
    }

    #[test]
    fn plain_output_counts_by_its_end() {
        assert_eq!(final_words("a\nb\n"), "a\nb\n");
        let long = format!("first\n{}last", "ä\n".repeat(9000));
        let words = final_words(&long);
        assert!(words.len() <= PLAIN_BYTES && words.ends_with("last") && !words.contains("first"));
    }
}
