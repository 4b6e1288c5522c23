//! Which files a restricted program reaches.

use std::fs;

use baton_sandbox::{
    Access, HomeWatch, Level, Mount, Report, Source, StandIn, Trace, make_process_stand_in,
};

use crate::program::{Stage, exists};

#[test]
fn the_work_tree_home_and_temporary_folder_can_be_written() {
    let stage = Stage::new();
    let script = "echo a > file && echo b > ~/file && echo c > /tmp/file && mkdir sub && mv file sub/ && cat sub/file ~/file /tmp/file";
    assert_eq!(stage.shell(script).success(), "a\nb\nc\n");
    for name in ["tree/sub/file", "home/file", "tmp/file"] {
        assert!(exists(&stage.path(name)), "{name}");
    }
}

#[test]
fn nothing_else_can_be_seen_or_written() {
    let stage = Stage::new();
    let outside = stage.path("outside/secret");
    for script in [
        format!("cat {}", outside.display()),
        format!("echo x > {}", outside.display()),
        format!("ls {}", stage.path("outside").display()),
        "echo x > /usr/bin/planted".to_owned(),
        "echo x > /etc/planted".to_owned(),
        "ls /var/lib".to_owned(),
        "mkdir /proc/sys/x; echo 1 > /proc/sys/kernel/core_pattern".to_owned(),
        "rm -rf /usr/share/doc".to_owned(),
    ] {
        let ended = stage.shell(&script);
        assert_ne!(ended.code, Some(0), "{script}: {ended:?}");
        assert_eq!(ended.report.failure, None);
    }
    assert_eq!(fs::read_to_string(outside).unwrap(), "secret");
}

#[test]
fn without_namespaces_landlock_refuses_the_same() {
    let stage = Stage::files_only();
    let script = "echo a > file && echo b > $HOME/file && cat file $HOME/file";
    assert_eq!(stage.shell(script).success(), "a\nb\n");
    let outside = stage.path("outside/secret");
    for script in [
        format!("cat {}", outside.display()),
        format!("echo x > {}", outside.display()),
        format!("ls {}", stage.path("outside").display()),
        "echo x > /usr/bin/planted".to_owned(),
        "echo x > /proc/sys/kernel/core_pattern".to_owned(),
    ] {
        let ended = stage.shell(&script);
        assert_ne!(ended.code, Some(0), "{script}: {ended:?}");
    }
    assert_eq!(fs::read_to_string(outside).unwrap(), "secret");
}

#[test]
fn a_link_does_not_lead_out() {
    let stage = Stage::new();
    std::os::unix::fs::symlink(stage.path("outside"), stage.path("tree/link")).unwrap();
    let ended = stage.shell("cat link/secret");
    assert_ne!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn a_folder_inside_a_writable_one_can_be_read_only() {
    let mut stage = Stage::new();
    fs::create_dir(stage.path("tree/.git")).unwrap();
    fs::write(stage.path("tree/.git/config"), "[core]").unwrap();
    stage.policy.show(stage.path("tree/.git"), Access::Read);
    assert_eq!(stage.shell("cat .git/config").success(), "[core]");
    let script = "echo x > .git/config; echo x > .git/hook; rm -rf .git; mv .git gone";
    let ended = stage.shell(script);
    assert_ne!(ended.code, Some(0), "{ended:?}");
    assert_eq!(
        fs::read_to_string(stage.path("tree/.git/config")).unwrap(),
        "[core]"
    );
    assert!(!exists(&stage.path("tree/.git/hook")));
}

/// A cache below layers that take the changes.
fn add_layers(stage: &mut Stage) {
    for name in ["cache", "upper", "work"] {
        fs::create_dir(stage.path(name)).unwrap();
    }
    fs::write(stage.path("cache/tool"), "good").unwrap();
    stage.policy.mounts.push(Mount {
        source: Source::Layers {
            lower: vec![stage.path("cache")],
            upper: stage.path("upper"),
            work: stage.path("work"),
        },
        at: "/home/agent/.cache".into(),
        access: Access::Write,
    });
}

#[test]
fn layers_take_changes_and_leave_what_is_below() {
    let mut stage = Stage::new();
    add_layers(&mut stage);
    let script = "cat ~/.cache/tool; echo evil > ~/.cache/tool; cat ~/.cache/tool";
    assert_eq!(stage.shell(script).success(), "goodevil\n");
    assert_eq!(
        fs::read_to_string(stage.path("cache/tool")).unwrap(),
        "good"
    );
    assert_eq!(
        fs::read_to_string(stage.path("upper/tool")).unwrap(),
        "evil\n"
    );
}

#[test]
fn layers_can_be_used_after_a_launcher_was_killed() {
    let mut stage = Stage::new();
    add_layers(&mut stage);
    let script = "echo made > ~/.cache/before; touch started; sleep 60";
    let mut child = stage.command("/bin/sh", &["-c", script]).spawn().unwrap();
    while !exists(&stage.path("tree/started")) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // The rest of its processes end a moment later.
    let lock = fs::File::open(stage.path("lock")).unwrap();
    lock.lock().unwrap();
    lock.unlock().unwrap();
    assert_eq!(stage.shell("cat ~/.cache/before").success(), "made\n");
}

/// A build and the tests, for instance.
#[test]
fn children_side_by_side_do_not_share_what_takes_changes() {
    let mut stage = Stage::new();
    add_layers(&mut stage);
    assert_eq!(stage.shell("echo made > ~/.cache/before").success(), "");
    let script = "sleep 0.2; for n in 1 2 3 4 5 6 7 8; do mkdir -p ~/.cache/$0/$n && cat ~/.cache/tool ~/.cache/before > ~/.cache/$0/$n/file || exit 1; done; echo more >> ~/.cache/tool";
    let start = |number: usize| {
        let report = stage.path(&format!("report-{number}"));
        let name = number.to_string();
        let mut command = stage.command_with_report(&report, "/bin/sh", &["-c", script, &name]);
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..12).map(start).collect();
    for (number, mut child) in children.into_iter().enumerate() {
        let report = Report::read(&stage.path(&format!("report-{number}")));
        assert!(child.wait().unwrap().success(), "{number}: {report:?}");
    }
    let kept = (0..12).filter(|number| exists(&stage.path(&format!("upper/{number}"))));
    assert!(kept.count() >= 1);
    assert_eq!(stage.shell("cat ~/.cache/before").success(), "made\n");
    let left = fs::read_dir(stage.path("work")).unwrap().flatten();
    let own: Vec<_> = left
        .filter(|one| exists(&one.path().join("upper")))
        .collect();
    assert!(own.is_empty(), "{own:?}");
}

/// The tree before a change, for instance, in place of the changed one.
#[test]
fn a_folder_takes_the_place_of_another_with_what_is_mounted_there() {
    let mut stage = Stage::new();
    let (new, old) = (stage.path("tree"), stage.path("old"));
    let tools = stage.path("tools");
    for (folder, file) in [(&new, "code"), (&old, "code"), (&tools, "tool")] {
        fs::create_dir_all(folder).unwrap();
        fs::write(
            folder.join(file),
            folder.file_name().unwrap().as_encoded_bytes(),
        )
        .unwrap();
    }
    let shown = stage.policy.mounts.iter_mut().find(|mount| mount.at == new);
    shown.unwrap().source = Source::Path(old.clone());
    stage
        .policy
        .show_at(&tools, new.join("modules"), Access::Read);
    stage.policy.mounts.push(Mount {
        source: Source::View(new.clone()),
        at: old.clone(),
        access: Access::Write,
    });
    let script = format!(
        "cat {new}/code {new}/modules/tool {old}/code {old}/modules/tool; echo x > {old}/made; cat {new}/made; touch {old}/modules/x 2>/dev/null || echo refused",
        new = new.display(),
        old = old.display()
    );
    assert_eq!(
        stage.shell(&script).success(),
        "oldtoolsoldtoolsx\nrefused\n"
    );
    assert!(exists(&old.join("made")) && !exists(&new.join("made")));
}

#[test]
fn ordinary_devices_work() {
    let stage = Stage::new();
    let script = "head -c 4 /dev/urandom | wc -c; echo x > /dev/null; echo hi | cat /dev/stdin; echo s > /dev/shm/x && cat /dev/shm/x; test ! -e /dev/tty; test ! -e /dev/vda";
    assert_eq!(stage.shell(script).success(), "4\nhi\ns\n");
}

#[test]
fn what_cannot_be_set_up_is_not_started() {
    let mut stage = Stage::new();
    stage.policy.level = Level::Strict;
    stage
        .policy
        .show_at("/no/such/folder", "/home/agent/x", Access::Read);
    let ended = stage.shell("touch started");
    assert_eq!(ended.code, Some(125));
    let failure = ended.report.failure.unwrap();
    assert!(
        failure.starts_with("cannot show /home/agent/x: "),
        "{failure}"
    );
    assert!(!exists(&stage.path("tree/started")));
}

#[test]
fn stand_ins_are_seen_read_only_and_watched() {
    let mut stage = Stage::new();
    let (home, stand_in) = (stage.path("home"), stage.path("stand-in"));
    fs::create_dir_all(stand_in.join("inner/shown")).unwrap();
    fs::create_dir(stand_in.join("notes.txt")).unwrap();
    let process = stage.path("process");
    make_process_stand_in(&process).unwrap();
    let at = stage.path("outside");
    stage.policy.show_at(&stand_in, &at, Access::Read);
    let tree = stage.path("tree");
    stage
        .policy
        .show_at(&tree, at.join("inner/shown"), Access::Read);
    stage.policy.process_stand_in = Some(process.clone());
    fs::write(stage.path("tree/lent"), "lent").unwrap();
    let stand_in = StandIn {
        what: "the outside",
        folders: vec![stand_in.clone(), stand_in.join("inner")],
    };
    let (looked, read) = (Trace::LookedInto("the outside"), Trace::ReadEnvironment);
    let at = at.display();
    for (script, expected) in [
        (
            format!("cat {at}/inner/shown/lent; ls {at}/inner/shown"),
            None,
        ),
        (
            "ls /proc; cat /proc/self/environ; ps aux; ps -ef; pgrep sh; ps aux".to_owned(),
            None,
        ),
        (format!("ls {at}"), Some(&looked)),
        (format!("cat {at}/notes.txt"), Some(&looked)),
        (format!("find {at}/inner"), Some(&looked)),
        ("cat /proc/*/environ".to_owned(), Some(&read)),
        ("cat /proc/$PPID/environ; ps aux".to_owned(), Some(&read)),
    ] {
        let stand_ins = std::slice::from_ref(&stand_in);
        let watch = HomeWatch::start(&home, stand_ins, Some(&process)).unwrap();
        let ended = stage.shell(&script);
        assert_eq!(ended.report.failure, None);
        let expected = expected.cloned().into_iter().collect();
        assert_eq!(watch.finish(), expected, "{script}: {ended:?}");
    }
    let ended = stage.shell(&format!(
        "echo changed > {at}/notes.txt || mkdir {at}/new || echo changed > /proc/1/environ || echo refused"
    ));
    assert_eq!(ended.success(), "refused\n");
}
