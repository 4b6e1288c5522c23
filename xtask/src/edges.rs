//! Which of our crates ("rooms") may use which, and what each must not pull in.
//! ARCHITECTURE.md gives the reasons; this table is what the build is held to.

use std::collections::{BTreeMap, VecDeque};

use cargo_metadata::{DependencyKind, Metadata, PackageId};

pub(crate) struct Room {
    pub(crate) name: &'static str,
    /// Our other crates that it may depend on.
    may_use: &'static [&'static str],
    /// Foreign crates that it must not depend on, not even through another crate.
    never_reaches: &'static [&'static str],
}

/// A pure room is given bytes and values: it has no runtime, no socket and no database.
const NO_IO: &[&str] = &[
    "axum", "hyper", "mio", "reqwest", "rmcp", "rusqlite", "rustls", "tokio",
];

/// Some of these rooms are not built yet; their place is decided all the same.
pub(crate) const ROOMS: &[Room] = &[
    Room {
        name: "protocol",
        may_use: &[],
        never_reaches: NO_IO,
    },
    Room {
        name: "report",
        may_use: &["protocol"],
        never_reaches: NO_IO,
    },
    Room {
        name: "review",
        may_use: &["protocol"],
        never_reaches: NO_IO,
    },
    Room {
        name: "workflow",
        may_use: &["protocol"],
        never_reaches: NO_IO,
    },
    Room {
        name: "sandbox",
        may_use: &[],
        never_reaches: &["axum", "hyper", "reqwest", "rmcp", "rusqlite", "rustls"],
    },
    Room {
        name: "host",
        may_use: &["protocol", "sandbox"],
        never_reaches: &["axum", "hyper", "reqwest", "rmcp", "rusqlite", "rustls"],
    },
    Room {
        name: "state",
        may_use: &["protocol"],
        never_reaches: &["axum", "hyper", "process-wrap", "reqwest", "rmcp", "rustls"],
    },
    Room {
        name: "remote",
        may_use: &["protocol", "state", "host"],
        never_reaches: &["axum"],
    },
    Room {
        name: "forge",
        may_use: &["protocol", "host"],
        never_reaches: &["reqwest", "rmcp"],
    },
    Room {
        name: "ops",
        may_use: &["protocol", "report", "review", "host", "remote", "state"],
        never_reaches: &["axum"],
    },
    Room {
        name: "engine",
        may_use: &["protocol", "workflow", "host", "state"],
        never_reaches: &["axum", "rmcp"],
    },
    Room {
        name: "agents",
        may_use: &[
            "protocol", "review", "workflow", "host", "state", "remote", "ops", "engine",
        ],
        never_reaches: &["axum"],
    },
    Room {
        name: "serve",
        may_use: &["protocol", "ops", "engine"],
        never_reaches: &[],
    },
    Room {
        name: "baton",
        may_use: &[
            "protocol", "report", "review", "workflow", "sandbox", "host", "state", "remote",
            "forge", "ops", "engine", "agents", "serve",
        ],
        never_reaches: &[],
    },
    Room {
        name: TESTKIT,
        may_use: &["protocol", "forge"],
        never_reaches: &[],
    },
    Room {
        name: "xtask",
        may_use: &[],
        never_reaches: NO_IO,
    },
];

/// The one room that every other may use in its tests and none in what it ships.
const TESTKIT: &str = "testkit";

/// Foreign crates that belong to some rooms. The others reach what they do through those rooms.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("agent-client-protocol", &["engine"]),
    ("anstream", &["baton"]),
    ("askama", &["forge", "serve"]),
    ("ast-grep-config", &["review"]),
    ("ast-grep-core", &["review"]),
    ("ast-grep-language", &["review"]),
    ("axum", &["forge", "serve", TESTKIT]),
    ("clap", &["baton"]),
    ("clap_complete", &["baton"]),
    ("indicatif", &["baton"]),
    ("process-wrap", &["host"]),
    ("reqwest", &["remote", TESTKIT]),
    ("restate-sdk", &["engine"]),
    ("rmcp", &["remote", "serve"]),
    ("rusqlite", &["state", "forge"]),
    ("landlock", &["sandbox"]),
    ("rustix", &["host", "sandbox"]),
    ("seccompiler", &["sandbox"]),
    // In the program: what ends it while an answer is shown, when no runtime is left.
    ("signal-hook", &["sandbox", "baton"]),
    ("tracing-subscriber", &["baton"]),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A normal or build dependency: part of what is shipped.
    Shipped,
    Tests,
}

#[derive(Debug)]
pub(crate) struct Dependency {
    pub(crate) on: String,
    pub(crate) ours: bool,
    pub(crate) used: Use,
}

/// Everything wrong with the direct dependencies of one of our crates.
pub(crate) fn violations(name: &str, dependencies: &[Dependency]) -> Vec<String> {
    let Some(room) = room(name) else {
        return vec![format!(
            "`{name}` is a new crate. Give it a row in xtask/src/edges.rs and a section in ARCHITECTURE.md."
        )];
    };
    let (ours, foreign): (Vec<_>, Vec<_>) = dependencies.iter().partition(|d| d.ours);
    let ours = ours
        .iter()
        .filter_map(|dependency| forbidden_room(room, dependency));
    let foreign = foreign
        .iter()
        .filter(|dependency| dependency.used == Use::Shipped)
        .filter_map(|dependency| foreign_in_wrong_room(room, &dependency.on));
    ours.chain(foreign).collect()
}

/// What is wrong with the crates of this workspace.
pub(crate) fn check(metadata: &Metadata) -> Vec<String> {
    let ours: BTreeMap<&str, &PackageId> = metadata
        .workspace_packages()
        .into_iter()
        .map(|package| (room_name(&package.name), &package.id))
        .collect();
    let mut found = Vec::new();
    for (name, id) in ours {
        found.extend(violations(name, &direct_dependencies(metadata, id)));
        let never = room(name).map_or(&[] as &[&str], |room| room.never_reaches);
        found.extend(never.iter().filter_map(|foreign| {
            let chain = shortest_chain(metadata, id, foreign)?;
            Some(format!(
                "`{name}` must not reach `{foreign}`, which it does through: {}. Turn off the feature that pulls it in, or choose another crate.",
                chain.join(" → ")
            ))
        }));
    }
    found
}

pub(crate) fn room(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

/// Packages are called `baton-host`; people say `host`.
pub(crate) fn room_name(package: &str) -> &str {
    package.strip_prefix("baton-").unwrap_or(package)
}

fn forbidden_room(room: &Room, dependency: &Dependency) -> Option<String> {
    let (name, on) = (room.name, dependency.on.as_str());
    if room.may_use.contains(&on) {
        return None;
    }
    if on == TESTKIT {
        return (dependency.used == Use::Shipped).then(|| {
            format!("`{name}` must not ship `{TESTKIT}`, which is for tests. Move it to [dev-dependencies].")
        });
    }
    let may_use = match room.may_use {
        [] => "none of ours".to_owned(),
        names => names.join(", "),
    };
    Some(format!(
        "`{name}` must not use `{on}` (it may use: {may_use}). Move the code to a room that may, or change ARCHITECTURE.md and xtask/src/edges.rs together."
    ))
}

fn foreign_in_wrong_room(room: &Room, foreign: &str) -> Option<String> {
    let (_, rooms) = ONLY_IN.iter().find(|(name, _)| *name == foreign)?;
    if rooms.contains(&room.name) {
        return None;
    }
    Some(format!(
        "`{}` must not use `{foreign}`, which belongs in: {}. Move the code there, or change xtask/src/edges.rs and say why.",
        room.name,
        rooms.join(", ")
    ))
}

/// What the manifest names, optional dependencies and all platforms included.
fn direct_dependencies(metadata: &Metadata, id: &PackageId) -> Vec<Dependency> {
    metadata[id]
        .dependencies
        .iter()
        .map(|dependency| {
            let ours = dependency.path.is_some();
            let on = if ours {
                room_name(&dependency.name)
            } else {
                &dependency.name
            };
            Dependency {
                on: on.to_owned(),
                ours,
                used: match dependency.kind {
                    DependencyKind::Development => Use::Tests,
                    _ => Use::Shipped,
                },
            }
        })
        .collect()
}

/// Follows shipped dependencies from `start` to the nearest package called `goal`.
fn shortest_chain(metadata: &Metadata, start: &PackageId, goal: &str) -> Option<Vec<String>> {
    let nodes = &metadata.resolve.as_ref()?.nodes;
    let edges: BTreeMap<_, _> = nodes.iter().map(|node| (&node.id, &node.deps)).collect();
    let mut came_from: BTreeMap<&PackageId, Option<&PackageId>> = BTreeMap::from([(start, None)]);
    let mut queue = VecDeque::from([start]);
    while let Some(id) = queue.pop_front() {
        if metadata[id].name.as_str() == goal {
            let steps = std::iter::successors(Some(id), |id| came_from[id]);
            let mut chain: Vec<_> = steps.map(|id| metadata[id].name.to_string()).collect();
            chain.reverse();
            return Some(chain);
        }
        for next in edges.get(id).into_iter().copied().flatten() {
            let shipped = next
                .dep_kinds
                .iter()
                .any(|kind| kind.kind == DependencyKind::Normal);
            if shipped && !came_from.contains_key(&next.pkg) {
                came_from.insert(&next.pkg, Some(id));
                queue.push_back(&next.pkg);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;

    fn shipped(on: &str) -> Dependency {
        Dependency {
            on: on.to_owned(),
            ours: room(on).is_some(),
            used: Use::Shipped,
        }
    }

    fn in_tests(on: &str) -> Dependency {
        Dependency {
            used: Use::Tests,
            ..shipped(on)
        }
    }

    #[test]
    fn this_workspace_keeps_to_the_table() {
        let project = Project::load().unwrap();
        assert_eq!(check(&project.metadata), Vec::<String>::new());
    }

    #[test]
    fn the_table_names_only_rooms_that_it_has_and_no_circle() {
        for (position, room) in ROOMS.iter().enumerate() {
            for used in room.may_use {
                let earlier = ROOMS[..position].iter().any(|other| other.name == *used);
                assert!(
                    earlier,
                    "{} may use {used}, which is not above it",
                    room.name
                );
            }
        }
        for (foreign, rooms) in ONLY_IN {
            for name in *rooms {
                assert!(
                    room(name).is_some(),
                    "{foreign} belongs in {name}, which is no room"
                );
            }
        }
    }

    #[test]
    fn allowed_edges_are_silent() {
        let dependencies = [
            shipped("protocol"),
            shipped("tokio"),
            shipped("rustix"),
            in_tests("testkit"),
            in_tests("insta"),
        ];
        assert_eq!(violations("host", &dependencies), Vec::<String>::new());
    }

    #[test]
    fn a_forbidden_edge_says_what_is_allowed_and_what_to_do() {
        insta::assert_snapshot!(
            violations("host", &[shipped("engine")]).join("\n"),
            @"`host` must not use `engine` (it may use: protocol, sandbox). Move the code to a room that may, or change ARCHITECTURE.md and xtask/src/edges.rs together."
        );
        insta::assert_snapshot!(
            violations("protocol", &[shipped("host")]).join("\n"),
            @"`protocol` must not use `host` (it may use: none of ours). Move the code to a room that may, or change ARCHITECTURE.md and xtask/src/edges.rs together."
        );
    }

    #[test]
    fn tests_may_add_the_testkit_and_nothing_else_of_ours() {
        insta::assert_snapshot!(
            violations("ops", &[in_tests("testkit"), in_tests("forge"), shipped("testkit")]).join("\n"),
            @"
        `ops` must not use `forge` (it may use: protocol, report, review, host, remote, state). Move the code to a room that may, or change ARCHITECTURE.md and xtask/src/edges.rs together.
        `ops` must not ship `testkit`, which is for tests. Move it to [dev-dependencies].
        "
        );
    }

    #[test]
    fn a_foreign_crate_in_the_wrong_room_is_named_with_its_rooms() {
        insta::assert_snapshot!(
            violations("ops", &[shipped("clap"), shipped("rusqlite"), in_tests("reqwest")]).join("\n"),
            @"
        `ops` must not use `clap`, which belongs in: baton. Move the code there, or change xtask/src/edges.rs and say why.
        `ops` must not use `rusqlite`, which belongs in: state, forge. Move the code there, or change xtask/src/edges.rs and say why.
        "
        );
    }

    #[test]
    fn a_crate_without_a_row_is_asked_for_one() {
        insta::assert_snapshot!(
            violations("gadget", &[]).join("\n"),
            @"`gadget` is a new crate. Give it a row in xtask/src/edges.rs and a section in ARCHITECTURE.md."
        );
    }

    #[test]
    fn a_chain_of_foreign_crates_is_followed() {
        let project = Project::load().unwrap();
        let xtask = project
            .metadata
            .workspace_packages()
            .into_iter()
            .find(|package| package.name.as_str() == "xtask")
            .unwrap();
        let chain = shortest_chain(&project.metadata, &xtask.id, "semver");
        assert_eq!(chain.unwrap(), ["xtask", "cargo_metadata", "semver"]);
        assert_eq!(shortest_chain(&project.metadata, &xtask.id, "insta"), None);
    }
}
