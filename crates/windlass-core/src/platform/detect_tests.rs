use super::*;
use crate::platform::CommandName;

fn pack(name: &str, family: &str, markers: &str, priority: u32) -> Pack {
    let source = format!(
        r#"{{"name": "{name}", "version": "1", "family": "{family}", "markers": {markers},
            "priority": {priority}, "testFiles": "tests/**", "commands": {{
              "test": [{{"if": {{"file": "m.json", "key": "scripts.test"}}, "run": "m test"}},
                       {{"if": {{"file": "m.json", "contains": "spec", "lacks": "no spec"}}, "run": "m spec"}}],
              "prepare": {{"run": "get", "lock": "a.lock"}}}}}}"#
    );
    Pack::parse(source.as_bytes(), "p.json").unwrap_or_else(|found| panic!("{found:?}"))
}

/// Two families: `ab` with a pack that needs a lock file, and `c`.
fn packs() -> Vec<Pack> {
    vec![
        pack("a", "ab", r#"["m.json"]"#, 30),
        pack("b", "ab", r#"["m.json", "b.lock"]"#, 35),
        pack("c", "c", r#"["*.c"]"#, 50),
    ]
    .into_iter()
    .map(|pack| match pack.name.as_str() {
        "b" => Pack { match_mode: MatchMode::All, ..pack },
        _ => pack,
    })
    .collect()
}

fn listing(paths: &[&str]) -> Listing {
    Listing::new(paths.iter().map(|path| (*path).to_owned()))
}

fn found(paths: &[&str], wanted: &Wanted) -> String {
    let detection = detect(&packs(), &listing(paths), wanted);
    let roots = detection.roots.iter().map(|root| match &root.choice {
        Choice::Pack { pack, .. } => format!("{}={pack}", root.folder),
        Choice::Tie(packs) => format!("{}=tie({})", root.folder, packs.join(",")),
    });
    roots.collect::<Vec<_>>().join(" ")
}

fn here(paths: &[&str]) -> String {
    found(paths, &Wanted::default())
}

#[test]
fn the_highest_priority_wins() {
    assert_eq!(here(&["m.json"]), ".=a");
    assert_eq!(here(&["m.json", "b.lock"]), ".=b");
    assert_eq!(here(&["m.json", "b.lock", "x.c"]), ".=c");
    assert_eq!(here(&["b.lock"]), "", "all markers have to be there");
    assert_eq!(here(&["README.md"]), "");
}

#[test]
fn a_root_owns_what_is_of_its_family_and_nothing_else() {
    assert_eq!(here(&["m.json", "b.lock", "packages/x/m.json", "native/x.c"]), ".=b native=c");
    assert_eq!(here(&["back/x.c", "back/sub/y.c", "front/m.json"]), "back=c front=a");
    assert_eq!(here(&["x.c", "web/m.json", "web/native/y.c"]), ".=c web=a");
}

#[test]
fn what_tools_made_and_what_tests_are_made_of_never_counts() {
    let paths = [
        "a/node_modules/x/m.json",
        "target/m.json",
        "vendor/x/y.c",
        ".hidden/m.json",
        "tests/project/m.json",
        "x/fixtures/m.json",
        "odd[name]/m.json",
    ];
    assert_eq!(here(&paths), "");
}

#[test]
fn a_tie_is_said_and_a_word_breaks_it() {
    let mut tied = packs();
    tied[0].priority = 50;
    let listing = listing(&["m.json", "x.c"]);
    let detection = detect(&tied, &listing, &Wanted::default());
    let undecided = detection.pin(&tied, &listing).unwrap_err();
    assert_eq!(undecided.to_string(), "a and c of the same priority match in `.`");
    let wanted = Wanted { prefer: Some("a".to_owned()), ..Wanted::default() };
    let pinned = detect(&tied, &listing, &wanted).pin(&tied, &listing).unwrap();
    assert_eq!((pinned.len(), pinned[0].pack.name.as_str()), (1, "a"));
}

#[test]
fn no_match_and_unknown_names_are_said() {
    let listing = listing(&["README.md"]);
    let pin = |wanted: &Wanted| detect(&packs(), &listing, wanted).pin(&packs(), &listing);
    assert_eq!(pin(&Wanted::default()), Err(Undecided::NoMatch));
    let wanted = |name: &str| Wanted { prefer: Some(name.to_owned()), ..Wanted::default() };
    assert_eq!(pin(&wanted("z")), Err(Undecided::Unknown { name: "z".to_owned() }));
    // Who names a pack knows better than the files do.
    assert_eq!(pin(&wanted("c")).unwrap()[0].root, ".");
}

#[test]
fn what_is_set_for_a_folder_holds_there() {
    let set = |pairs: &[(&str, &str)]| Wanted {
        prefer: None,
        folders: pairs.iter().map(|(f, n)| ((*f).to_owned(), (*n).to_owned())).collect(),
    };
    let paths = ["m.json", "b.lock", "app/m.json", "docs/x.c"];
    assert_eq!(found(&paths, &set(&[])), ".=b docs=c");
    assert_eq!(found(&paths, &set(&[("docs", "none")])), ".=b");
    assert_eq!(found(&paths, &set(&[("app", "a")])), ".=b app=a docs=c");
    assert_eq!(found(&paths, &set(&[(".", "c")])), ".=c app=a");
}

#[test]
fn the_first_way_that_fits_is_pinned() {
    let paths = ["web/m.json", "web/a.lock"];
    let command = |text: &str| {
        let mut listing = listing(&paths);
        assert_eq!(texts_wanted(&packs(), &listing), ["web/m.json".to_owned()].into());
        listing.add_text("web/m.json".to_owned(), text.to_owned());
        let pinned = packs()[0].pin("web", &listing);
        let prepare = pinned.pack.command(CommandName::Prepare).unwrap();
        assert_eq!(prepare.lock.as_deref(), Some("a.lock"));
        pinned.pack.command(CommandName::Test).map(|way| way.run.clone())
    };
    assert_eq!(command(r#"{"scripts": {"test": "x"}, "spec": 1}"#).as_deref(), Some("m test"));
    assert_eq!(command(r#"{"spec": 1}"#).as_deref(), Some("m spec"));
    assert_eq!(command(r#"{"spec": "no spec"}"#), None);
    assert_eq!(command("{ not JSON"), None);
}

#[test]
fn more_roots_than_anybody_means_are_refused() {
    let paths: Vec<String> = (0..30).map(|number| format!("p{number}/m.json")).collect();
    let listing = Listing::new(paths);
    let detection = detect(&packs(), &listing, &Wanted::default());
    let refused = detection.pin(&packs(), &listing);
    assert_eq!(refused, Err(Undecided::TooMany { count: 30 }));
}
