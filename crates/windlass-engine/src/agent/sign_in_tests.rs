use super::*;

const OWN: &str = "claude/sign-in.json";

/// A user's sign-in, and the folder that is kept for a step and its role.
struct World(tempfile::TempDir);

impl World {
    fn new(before: &str) -> Self {
        let world = Self(tempfile::tempdir().unwrap());
        fs_err::create_dir_all(world.kept()).unwrap();
        fs_err::write(world.user(), before).unwrap();
        world
    }

    fn user(&self) -> PathBuf {
        self.0.path().join("user.json")
    }

    fn kept(&self) -> PathBuf {
        self.0.path().join("kept")
    }

    fn own(&self) -> PathBuf {
        self.kept().join(OWN)
    }

    fn hold(&self) -> SignIn {
        SignIn::hold(&self.user(), &self.kept(), Path::new(OWN)).unwrap().unwrap()
    }

    fn now(&self) -> String {
        fs_err::read_to_string(self.user()).unwrap()
    }
}

/// Writes bytes as a token has them.
fn token(claims: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in claims.as_bytes().chunks(3) {
        let held = chunk.iter().fold(0_u32, |held, byte| held << 8 | u32::from(*byte));
        let held = held << (8 * (3 - chunk.len()));
        let letter = |at: usize| char::from(LETTERS[(held >> (18 - 6 * at)) as usize & 63]);
        text.extend((0..=chunk.len()).map(letter));
    }
    format!("e30.{text}.e30")
}

#[test]
fn a_renewed_token_goes_back_to_the_user() {
    let world = World::new(r#"{"oauth": {"token": "old", "until": 1}}"#);
    let held = world.hold();
    let renewed = r#"{"oauth": {"token": "new", "until": 2}}"#;
    fs_err::write(world.own(), renewed).unwrap();
    held.give_back().unwrap();
    assert_eq!(world.now(), renewed);
}

#[test]
fn nonsense_and_an_older_copy_do_not() {
    let world = World::new(r#"{"token": "old"}"#);
    let held = world.hold();
    for nonsense in ["", "{}", "[]", "{\"token\": \"x\", \"hook\": \"sh\"}"] {
        fs_err::write(world.own(), nonsense).unwrap();
        held.give_back().unwrap();
        assert_eq!(world.now(), r#"{"token": "old"}"#, "{nonsense}");
    }
    fs_err::write(world.user(), r#"{"token": "of the user"}"#).unwrap();
    fs_err::write(world.own(), r#"{"token": "late"}"#).unwrap();
    held.give_back().unwrap();
    assert_eq!(world.now(), r#"{"token": "of the user"}"#);
}

#[test]
fn what_a_driver_that_died_did_not_give_back_is_given_back_by_the_next() {
    let world = World::new(r#"{"oauth": {"token": "old", "expiresAt": 1}}"#);
    drop(world.hold());
    let renewed = r#"{"oauth": {"token": "new", "expiresAt": 2}}"#;
    fs_err::write(world.own(), renewed).unwrap();
    world.hold();
    assert_eq!(world.now(), renewed);
    assert_eq!(fs_err::read_to_string(world.own()).unwrap(), renewed);
    let later = r#"{"oauth": {"token": "newer", "expiresAt": 3}}"#;
    fs_err::write(world.own(), later).unwrap();
    let left = SignIn::left(&world.user(), &world.kept(), Path::new(OWN)).unwrap();
    left.give_back().unwrap();
    assert_eq!(world.now(), later);
}

#[test]
fn a_user_who_signed_out_stays_signed_out() {
    let world = World::new(r#"{"token": "old"}"#);
    world.hold();
    fs_err::remove_file(world.user()).unwrap();
    let held = SignIn::hold(&world.user(), &world.kept(), Path::new(OWN)).unwrap();
    assert_eq!(held, None);
    assert!(!world.own().exists() && !world.user().exists());
    assert_eq!(SignIn::left(&world.user(), &world.kept(), Path::new(OWN)), None);
}

#[test]
fn the_token_of_another_account_or_an_older_one_is_not_given_back() {
    let old = token(r#"{"sub": "me", "exp": 10}"#);
    let before = format!(
        r#"{{"API_KEY": null, "tokens": {{"account_id": "me", "id_token": "{old}", "t": "x"}}}}"#
    );
    let world = World::new(&before);
    let held = world.hold();
    let [other, late] = [r#"{"sub": "other", "exp": 20}"#, r#"{"sub": "me", "exp": 5}"#].map(token);
    let new = token(r#"{"sub": "me", "exp": 20}"#);
    for planted in [
        before.replace("\"account_id\": \"me\"", "\"account_id\": \"other\"").replace(&old, &new),
        before.replace(&old, &other),
        before.replace(&old, &late),
        before.replace(&old, "opaque"),
        before.replace(&old, &new).replace("null", "\"sk-other\""),
        before.replace("\"x\"", "\"y\""),
    ] {
        fs_err::write(world.own(), &planted).unwrap();
        held.give_back().unwrap();
        assert_eq!(world.now(), before, "{planted}");
    }
    let renewed = before.replace(&old, &new);
    fs_err::write(world.own(), &renewed).unwrap();
    held.give_back().unwrap();
    assert_eq!(world.now(), renewed);
}

#[test]
fn links_pipes_and_folders_in_the_copy_are_replaced_and_never_followed() {
    let world = World::new(r#"{"token": "old"}"#);
    let root = world.0.path();
    let (users, victim) = (root.join("users"), root.join("victim"));
    fs_err::create_dir_all(users.join("agents")).unwrap();
    fs_err::write(users.join("CLAUDE.md"), "rules").unwrap();
    fs_err::write(users.join("agents/one.md"), "one").unwrap();
    fs_err::write(&victim, "precious").unwrap();
    let own = world.kept().join("claude");
    let names = ["CLAUDE.md", "settings.json", "agents", "skills"];
    let plant: [&dyn Fn(&Path); 4] = [
        &|at| std::os::unix::fs::symlink(&victim, at).unwrap(),
        &|at| std::os::unix::fs::symlink("/dev/zero", at).unwrap(),
        &|at| rustix::fs::mkfifoat(rustix::fs::CWD, at, 0o600.into()).unwrap(),
        &|at| fs_err::create_dir_all(at.join("deep")).unwrap(),
    ];
    for plant in plant {
        let _ = fs_err::remove_dir_all(&own);
        fs_err::create_dir_all(&own).unwrap();
        for name in names.into_iter().chain(["sign-in.json"]) {
            plant(&own.join(name));
        }
        let held = SignIn::left(&world.user(), &world.kept(), Path::new(OWN));
        held.map_or(Ok(()), |held| held.give_back()).unwrap();
        copy_settings(&users, &world.kept(), Path::new("claude"), &names).unwrap();
        world.hold();
        assert_eq!(fs_err::read_to_string(&victim).unwrap(), "precious");
        assert_eq!(world.now(), r#"{"token": "old"}"#);
        for (name, text) in [("CLAUDE.md", "rules"), ("agents/one.md", "one")] {
            assert!(!own.join(name).is_symlink());
            assert_eq!(fs_err::read_to_string(own.join(name)).unwrap(), text);
        }
        assert!(own.join("settings.json").symlink_metadata().is_err(), "the user has none");
        assert!(world.own().is_file() && !world.own().is_symlink());
    }
    // A folder of a session that became a link to a folder of the user's.
    std::os::unix::fs::symlink(root, own.join("projects")).unwrap();
    make_folder(&world.kept(), Path::new("claude/projects")).unwrap();
    assert!(own.join("projects").is_dir() && !own.join("projects").is_symlink());
}
