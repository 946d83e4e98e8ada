//! A scripted model on loopback, for tests that start the real agent CLIs.
//!
//! A [`Script`] is a list of lanes. A request goes to the first [`Lane`] that takes it, and gets the
//! [`Turn`] whose number is the number of assistant turns already in the request. So the server keeps
//! no state, a retry gets the same answer again, and `--resume` and parallel agents need nothing
//! special. One script plays on every protocol:
//!
//! ```no_run
//! use windlass_testkit::model::{Lane, ModelServer, Script, say};
//!
//! let plan = Lane::when_first_user_has("step `plan`")
//!     .turn(say("I will plan it.").write("specs/plan.md", "1. Greet.\n").shell("git status"))
//!     .turn(say("Done."));
//! let server = ModelServer::start(Script::new().lane(plan));
//! // … start a CLI with `server.url()` …
//! assert_eq!(server.requests().len(), 2);
//! server.finish();
//! ```
//!
//! It is strict: a request that no lane takes, a turn behind a lane's end, or a call that the CLI has
//! no tool for is answered with HTTP 400 and a sentence, and [`ModelServer::finish`] or dropping the
//! server fails the test. So does a connection to the outside through [`ModelServer::proxy_url`].
//!
//! **Where files go.** [`Turn::write`] takes a path relative to the agent's working directory. Claude
//! Code states that directory in every request (in the environment text of the conversation), and
//! its path is made absolute with it; so is that of Gemini CLI, opencode and Qwen Code. Codex writes
//! through a shell that starts there. Where no request states it, name it with [`Lane::place`].
//!
//! **Words from the request.** `<<1>>` or `<<name>>` in a text, path, command or tool input stands for
//! a group of the lane's patterns, see [`Lane::capture`], and `<<cwd>>` for the working directory.

mod acts;
mod anthropic;
mod chat;
mod conversation;
mod gemini;
mod http;
mod log;
mod outside;
mod play;
mod reply;
mod responses;
mod script;
mod server;
mod turn;

pub use conversation::ToolResult;
pub use log::Request;
pub use reply::Protocol;
pub use script::{Lane, Part, Script};
pub use server::ModelServer;
pub use turn::{Turn, drop_connection, http, say, shell, stream_error, tool, write};
