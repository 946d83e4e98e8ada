use super::*;

const UNIT: (&str, &str) = ("scripts/unit.sh", "true");

#[test]
fn a_makefile_leads_to_what_its_targets_run() {
    for (makefile, command) in [
        ("test:\n\t@sh scripts/unit.sh\n", "make test"),
        ("all:\n\tsh scripts/unit.sh\n", "make"),
        (".PHONY: all\nall: unit\nunit:\n\tsh scripts/unit.sh\n", "make"),
        ("test: unit\nunit: deep\ndeep:\n\tsh scripts/unit.sh\n", "make -j4 test"),
        ("test: ; sh scripts/unit.sh\n", "make test"),
        ("RUN = sh scripts/unit.sh\ntest:\n\t$(RUN)\n", "make test"),
        ("S := scripts\nRUN := sh $(S)/unit.sh\ntest:\n\t${RUN} --fast\n", "make test"),
        ("CHECKS = unit\ntest: $(CHECKS)\nunit:\n\tsh scripts/unit.sh\n", "make test"),
        ("test:\n\t$(MAKE) unit\nunit:\n\tsh scripts/unit.sh\n", "make test"),
        ("test: x.ok\n%.ok:\n\tsh scripts/unit.sh $@\n", "make test"),
        ("test: scripts/unit.sh\n\tsh $<\n", "make test"),
        ("test:\n\ttrue && \\\n\tsh scripts/unit.sh\n", "make test"),
        ("test:\n\tX=$(shell sh scripts/unit.sh); true\n", "make test"),
        ("test:\n\t$(RUN)\n", "make test RUN='sh scripts/unit.sh'"),
        ("export RUN=sh scripts/unit.sh\ntest:\n\t-$(RUN)\n", "cd . && make -k test"),
    ] {
        asks(
            command,
            &[("Makefile", makefile), UNIT],
            &["Makefile", "scripts/unit.sh", "GNUmakefile"],
        );
    }
    let other = [("Makefile", "all:\n\ttrue\ntest:\n\tsh scripts/unit.sh\n"), UNIT];
    leaves("make all", &other, &["scripts/unit.sh"]);
}

#[test]
fn what_is_included_counts_also_where_it_is_not_there_yet() {
    let all = [
        ("Makefile", "D = mk\ninclude $(D)/a.mk\n-include local.mk\ntest: unit\n"),
        ("mk/a.mk", "unit:\n\tsh scripts/unit.sh\n"),
        UNIT,
    ];
    asks("make test", &all, &["mk/a.mk", "local.mk", "scripts/unit.sh"]);
    let many = [("Makefile", "include mk/*.mk\n"), ("mk/a.mk", "t:\n\tsh scripts/unit.sh\n"), UNIT];
    asks("make t", &many, &["mk/a.mk", "scripts/unit.sh"]);
}

#[test]
fn a_makefile_of_another_folder_counts() {
    let all = [
        ("Makefile", "test:\n\t$(MAKE) -C sub check\n"),
        ("sub/Makefile", "check:\n\tsh ../scripts/unit.sh\n"),
        ("sub/ci.mk", "check:\n\tsh ../scripts/unit.sh\n"),
        UNIT,
    ];
    for command in
        ["make test", "make -C sub check", "make --directory=sub check", "cd sub && make check"]
    {
        asks(command, &all, &["sub/Makefile", "scripts/unit.sh"]);
    }
    asks("make -C sub -f ci.mk check", &all, &["sub/ci.mk", "scripts/unit.sh"]);
    asks("make -Csub -fci.mk check", &all, &["sub/ci.mk", "scripts/unit.sh"]);
}

#[test]
fn tests_within_recipes_are_protected() {
    for recipe in [
        "python3 -m unittest discover -s tests",
        "pytest tests",
        "node --test tests/",
        "prove -r tests",
    ] {
        let makefile = format!("test:\n\t{recipe}\n");
        let all = [("Makefile", makefile.as_str()), ("tests/test_a.py", "")];
        asks("make test", &all, &["tests/test_a.py"]);
        leaves("make test", &all, &["tests/test_new.py"]);
    }
}

#[test]
fn a_file_with_the_name_of_a_target_would_make_it_up_to_date() {
    let makefile = "T = unit\n.PHONY: all\nall: test $(T)\ntest:\n\tsh scripts/unit.sh\nunit: src.o\n\ttrue\n\
                    other:\n\ttrue\n";
    let all = [("Makefile", makefile), ("src.o", ""), ("sub/Makefile", makefile), UNIT];
    asks("make all", &all, &["test", "unit", "test/x"]);
    asks("make -C sub test", &all, &["sub/test", "sub/test/deep/x"]);
    leaves("make all", &all, &["all", "other", "src.o", "sub/test", "src/test", "test.sh"]);
    // A folder that is there is nothing new, and tests are added to it.
    let there = [("Makefile", makefile), ("test/a.sh", ""), UNIT];
    leaves("make test", &there, &["test/new.sh"]);
}

#[test]
fn a_pattern_that_is_included_counts_for_what_will_fit() {
    for include in ["-include mk/*.mk", "include $(wildcard mk/*.mk)", "sinclude mk/[a-z].mk"] {
        let makefile = format!("test:\n\tsh scripts/unit.sh\n{include}\n");
        let all = [("Makefile", makefile.as_str()), UNIT];
        asks("make test", &all, &["mk/z.mk"]);
        leaves("make test", &all, &["mk/z.txt", "z.mk"]);
    }
}
