use super::*;
use crate::mcp::McpServer;
use crate::role::{INHERIT, RoleServer};

/// A role with these lines of front matter.
fn role(front: &str) -> Result<(Role, Vec<Diagnostic>), String> {
    parse(format!("---\n{front}\n---\n\nYou do it.\n"))
}

fn parse(source: impl AsRef<[u8]>) -> Result<(Role, Vec<Diagnostic>), String> {
    Role::parse_with_warnings(source.as_ref(), "a.md").map_err(|found| listed(&found))
}

fn listed(found: &[Diagnostic]) -> String {
    let lines = found.iter().map(|one| match &one.help {
        Some(help) => format!("{one}; {help}"),
        None => format!("{one}; NO HELP"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns what is said about a file that has to be refused; every error says what to do.
fn refused(source: impl AsRef<[u8]>) -> String {
    let said = parse(source).expect_err("the role is refused");
    assert!(!said.contains("NO HELP"), "{said}");
    said
}

fn refused_front(front: &str) -> String {
    refused(format!("---\n{front}\n---\n\nYou do it.\n"))
}

#[test]
fn a_file_written_for_claude_code_is_read_whole() {
    let source = "---\nname: code-reviewer\ndescription: Looks at code.\n\
        tools: Read, Grep, Bash(git log *, git diff *)\nmodel: inherit\ncolor: blue\n\
        mcpServers:\n  - github\n  - docs:\n      type: stdio\n      command: npx\n      args: [-y, x]\n\
        ---\n\n# Review\n\nLook.\n\n---\n\nStill body.\n";
    let (role, warnings) = parse(source).unwrap();
    assert_eq!(warnings, []);
    let docs = McpServer {
        command: "npx".to_owned(),
        args: vec!["-y".to_owned(), "x".to_owned()],
        env: [].into(),
        optional: false,
    };
    let expected = Role {
        name: "code-reviewer".to_owned(),
        description: "Looks at code.".to_owned(),
        tools: Some(
            ["Read", "Grep", "Bash(git log *, git diff *)"].map(ToOwned::to_owned).to_vec(),
        ),
        model: Some(INHERIT.to_owned()),
        color: Some("blue".to_owned()),
        mcp_servers: [
            ("github".to_owned(), RoleServer::Named),
            ("docs".to_owned(), RoleServer::Own(docs)),
        ]
        .into(),
        body: "# Review\n\nLook.\n\n---\n\nStill body.".to_owned(),
        source: RoleSource::File("a.md".to_owned()),
        hash: ContentHash::of(source.as_bytes()),
    };
    assert_eq!(role, expected);
    assert_eq!(role.model(), None);
    let stored = serde_json::to_string(&role).unwrap();
    assert_eq!(serde_json::from_str::<Role>(&stored).unwrap(), role);
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_do_no_harm() {
    let (role, _) = parse("\u{feff}---\r\nname: a\r\ndescription: b\r\n---\r\nBody\r\n").unwrap();
    assert_eq!((role.name.as_str(), role.body.as_str()), ("a", "Body"));
}

#[test]
fn tools_are_a_list_or_one_text_and_a_star_is_all() {
    let tools = |line: &str| role(&format!("name: a\ndescription: b\n{line}")).unwrap().0.tools;
    assert_eq!(tools("model: x"), None);
    assert_eq!(tools("tools: \"*\""), None);
    assert_eq!(tools("tools: [Read, \"Bash(a, b)\"]"), tools("tools: Read,Bash(a, b),"));
    assert!(
        refused_front("name: a\ntools: \"--flag\"").contains("`--flag` is not the name of a tool")
    );
    assert!(refused_front("name: a\ntools: []").contains("no tool is listed"));
    assert!(refused_front("name: a\ntools: \" , \"").contains("no tool is listed"));
}

#[test]
fn what_is_not_used_is_said_and_allowed() {
    let (_, warnings) =
        role("name: a\ndescription: b\ntool: Read\nhooks: {x: [1]}\npermissionMode: plan").unwrap();
    insta::assert_snapshot!(listed(&warnings), @"
    a.md:4:1: windlass does not use `tool`; did you mean `tools`?
    a.md:5:1: windlass does not use `hooks`; it may be there for another program
    a.md:6:1: windlass does not use `permissionMode`; windlass sets what an attempt may do
    ");
    let (role, warnings) = role("name: a\nmcpServers: {far: {type: http, url: \"x\"}}").unwrap();
    assert!(role.mcp_servers.is_empty());
    insta::assert_snapshot!(listed(&warnings), @"
    a.md:2:1: the role has no `description`; say in one sentence what it is for: lists of agents show it
    a.md:3:14: the server `far` is not a program on this machine, so it is left out; windlass starts servers that have a `command`
    ");
}

#[test]
fn a_description_as_claude_code_writes_it_is_read_as_text() {
    let text = "Use it when: it's time. Examples: <example>user: \"x\" # y</example>";
    let (role, warnings) = role(&format!("name: a\ndescription: {text}\nmodel: opus")).unwrap();
    assert_eq!((role.description.as_str(), role.model()), (text, Some("opus")));
    assert_eq!(warnings.len(), 1);
    assert!(listed(&warnings).starts_with("a.md:3:14: the description is no YAML"), "{warnings:?}");
    // What is wrong elsewhere stays wrong.
    let said = refused_front(&format!("name: a\nname: b\ndescription: {text}"));
    assert!(said.contains("the key `name` is given twice"), "{said}");
}

#[test]
fn a_broken_file_still_claims_its_name() {
    let claimed = |source: &str| Role::claimed_name(source.as_bytes()).map(ToOwned::to_owned);
    assert_eq!(claimed("---\nname: \"developer\"\n: :\n---\n"), Some("developer".to_owned()));
    assert_eq!(claimed("---\r\nname: developer\r\n"), Some("developer".to_owned()));
    assert_eq!(claimed("---\nmodel: x\n---\nname: developer\n"), None);
    assert_eq!(claimed("---\nname: ../up\n"), None);
}

#[test]
fn broken_files_are_refused_with_their_place_and_what_to_do() {
    let cases = [
        refused(""),
        refused("# Just Markdown\n"),
        refused("---\nname: a\n\nNo end.\n"),
        refused("---\n---\nBody\n"),
        refused("---\nname: a\ndescription: b\n---\n \n"),
        refused("---\n- a\n---\nBody\n"),
        refused_front("description: nobody"),
        refused_front("name: two words"),
        refused_front("name: ../up"),
        refused_front("name: a\nname: b"),
        refused_front("name: a\ntools: Read: x"),
        refused_front("name: a\n  bad: indent"),
        refused_front("name: a\nmodel: --yolo"),
        refused_front("name: a\nmcpServers: [{\"x y\": {command: z}}]"),
        refused_front("name: a\nmcpServers: [z, z]"),
        refused(b"---\nname: a\n---\nBody \xff\n"),
    ];
    insta::assert_snapshot!(cases.join("\n"));
}

#[test]
fn a_file_that_is_too_large_is_refused_before_it_is_read() {
    let large = format!("---\nname: a\n---\n{}", "x".repeat(MAX_ROLE_BYTES));
    assert!(refused(&large).starts_with("a.md:1:1: the file has 65552 bytes, more than 65536"));
    let many = vec!["Read"; MAX_TOOLS + 1].join(", ");
    assert!(refused_front(&format!("name: a\ntools: {many}")).contains("201 tools, more than 200"));
}
