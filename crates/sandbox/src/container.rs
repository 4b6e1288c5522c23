//! The same policy as a command line of `docker` or `podman`.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::policy::{Access, Mount, Network, Policy, Source};

/// A program that runs containers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Docker,
    Podman,
}

impl Engine {
    /// The one that needs no daemon first.
    pub const ALL: [Self; 2] = [Self::Podman, Self::Docker];

    pub fn program(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Podman => "podman",
        }
    }
}

/// What is to run in a container.
#[derive(Clone, Copy, Debug)]
pub struct Contained<'a> {
    pub image: &'a str,
    /// A name to end it by.
    pub name: &'a str,
    pub folder: &'a Path,
    pub user: (u32, u32),
    pub program: &'a OsStr,
    pub args: &'a [OsString],
    pub environment: &'a [(OsString, OsString)],
}

/// The arguments for the engine. Of the policy's mounts only the writable ones
/// are passed: toolchains and system come with the image.
pub fn container_command(policy: &Policy, contained: &Contained<'_>) -> Vec<OsString> {
    let mut args: Vec<OsString> = ["run", "--rm", "--init", "--interactive", "--pull=never"]
        .map(OsString::from)
        .into();
    args.push(format!("--name={}", contained.name).into());
    args.push("--cap-drop=ALL".into());
    args.push("--security-opt=no-new-privileges".into());
    args.push(format!("--pids-limit={}", policy.limits.processes).into());
    let (user, group) = contained.user;
    args.push(format!("--user={user}:{group}").into());
    args.push(option("--workdir=", contained.folder.as_os_str()));
    match &policy.network {
        Network::All => {}
        Network::None | Network::Proxy { .. } => args.push("--network=none".into()),
    }
    for Mount { source, at, access } in &policy.mounts {
        let path = match source {
            Source::Same | Source::View(_) => at,
            Source::Path(path) => path,
            Source::Layers { upper, .. } => upper,
        };
        if *access == Access::Write {
            let mut volume = OsString::from("--volume=");
            volume.push(path);
            volume.push(":");
            volume.push(at);
            args.push(volume);
        }
    }
    for (name, value) in contained.environment {
        // The image has its own programs.
        if name != "PATH" {
            let mut variable = option("--env=", name);
            variable.push("=");
            variable.push(value);
            args.push(variable);
        }
    }
    args.push(contained.image.into());
    args.push(contained.program.into());
    args.extend(contained.args.iter().cloned());
    args
}

fn option(name: &str, value: &OsStr) -> OsString {
    let mut option = OsString::from(name);
    option.push(value);
    option
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Level;

    #[test]
    fn a_policy_becomes_a_command_line() {
        let mut policy = Policy::new(Level::Standard, Network::None);
        policy.show("/usr", Access::Read);
        policy.show("/src/app", Access::Write);
        policy.show_at("/runs/1/home", "/home/ann", Access::Write);
        let args = container_command(
            &policy,
            &Contained {
                image: "rust:1",
                name: "baton-1",
                folder: Path::new("/src/app"),
                user: (1000, 1000),
                program: OsStr::new("/bin/sh"),
                args: &["-c".into(), "cargo test".into()],
                environment: &[("CI".into(), "1".into()), ("PATH".into(), "/x".into())],
            },
        );
        let args: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
        insta::assert_snapshot!(args.join("\n"), @"
        run
        --rm
        --init
        --interactive
        --pull=never
        --name=baton-1
        --cap-drop=ALL
        --security-opt=no-new-privileges
        --pids-limit=2048
        --user=1000:1000
        --workdir=/src/app
        --network=none
        --volume=/src/app:/src/app
        --volume=/runs/1/home:/home/ann
        --env=CI=1
        rust:1
        /bin/sh
        -c
        cargo test
        ");
    }
}
