//! Which mounts make up the view, with all links resolved while the old root is
//! still the root.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::super::{Doing as _, SetupError};
use crate::policy::{Access, Mount, Network, Policy, Source};
use crate::proxy::INNER_SOCKET;

/// More links than any valid path has.
const MAX_LINKS: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    /// The folder with what is visible of this process.
    pub(super) process: Option<PathBuf>,
    /// Where links lead, and what is none: most paths of a policy share folders.
    links: HashMap<PathBuf, Option<PathBuf>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) at: PathBuf,
    pub(super) access: Access,
    pub(super) content: Content,
}

/// All paths are free of links.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Content {
    Link(PathBuf),
    Folder(PathBuf),
    File(PathBuf),
    /// A folder of the view itself.
    View(PathBuf),
    Layers {
        lower: Vec<PathBuf>,
        upper: PathBuf,
        work: PathBuf,
    },
}

impl Plan {
    pub(super) fn new(policy: &Policy) -> Result<Self, SetupError> {
        let mut plan = Self::default();
        for mount in &policy.mounts {
            plan.add(mount)
                .doing(format_args!("show {}", mount.at.display()))?;
        }
        if let Network::Proxy { socket, .. } = &policy.network {
            let source = fs::canonicalize(socket).doing("find the proxy")?;
            plan.steps.push(Step {
                at: INNER_SOCKET.into(),
                access: Access::Write,
                content: Content::File(source),
            });
        }
        if let Some(path) = &policy.process_stand_in {
            plan.process = Some(fs::canonicalize(path).doing("find a stand-in")?);
        }
        Ok(plan)
    }

    fn add(&mut self, mount: &Mount) -> io::Result<()> {
        let Mount { source, at, access } = mount;
        let content = match source {
            // A system need not have every path of a policy.
            Source::Same => match content_at(self.resolve(at)?) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                content => content?,
            },
            Source::Path(path) => content_at(self.resolve(path)?)?,
            Source::View(path) => Content::View(self.resolve(path)?),
            Source::Layers { lower, upper, work } => Content::Layers {
                lower: lower
                    .iter()
                    .map(|path| self.resolve(path))
                    .collect::<io::Result<_>>()?,
                upper: self.resolve(upper)?,
                work: self.resolve(work)?,
            },
        };
        let mut links = Vec::new();
        let at = self.follow(at, &mut links, 0)?;
        for (link, target) in links {
            if !self.steps.iter().any(|step| step.at == link) {
                self.steps.push(Step {
                    at: link,
                    access: Access::Read,
                    content: Content::Link(target),
                });
            }
        }
        if matches!(source, Source::Same) && self.already_shows(&at, *access) {
            return Ok(());
        }
        // What is below is covered, and would not be a mount of its own there.
        self.steps
            .retain(|step| matches!(step.content, Content::Link(_)) || !step.at.starts_with(&at));
        let access = *access;
        self.steps.push(Step {
            at,
            access,
            content,
        });
        Ok(())
    }

    /// The path without links.
    fn resolve(&mut self, path: &Path) -> io::Result<PathBuf> {
        self.follow(path, &mut Vec::new(), 0)
    }

    /// Collects the links that a path leads through, and returns where it ends.
    fn follow(
        &mut self,
        path: &Path,
        links: &mut Vec<(PathBuf, PathBuf)>,
        depth: usize,
    ) -> io::Result<PathBuf> {
        if depth > MAX_LINKS {
            return Err(io::Error::other("too many links"));
        }
        let mut reached = PathBuf::from("/");
        let mut rest = path.components();
        while let Some(component) = rest.next() {
            match component {
                Component::RootDir | Component::CurDir | Component::Prefix(_) => continue,
                Component::ParentDir => {
                    reached.pop();
                    continue;
                }
                Component::Normal(name) => reached.push(name),
            }
            let Some(target) = self.link_at(&reached) else {
                continue;
            };
            links.push((reached.clone(), target.clone()));
            reached.pop();
            let next = reached.join(target).join(rest.as_path());
            return self.follow(&next, links, depth + 1);
        }
        Ok(reached)
    }

    fn link_at(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.links.get(path) {
            return known.clone();
        }
        let target = fs::read_link(path).ok();
        self.links.insert(path.to_owned(), target.clone());
        target
    }

    /// Whether a folder around it is mounted as it is, and nothing covers it there.
    fn already_shows(&self, at: &Path, access: Access) -> bool {
        let around = self
            .steps
            .iter()
            .rev()
            .find(|step| !matches!(step.content, Content::Link(_)) && at.starts_with(&step.at));
        around.is_some_and(|step| {
            let is_same = matches!(&step.content, Content::Folder(source) if *source == step.at);
            is_same && step.access == access
        })
    }
}

fn content_at(path: PathBuf) -> io::Result<Content> {
    Ok(if fs::metadata(&path)?.is_dir() {
        Content::Folder(path)
    } else {
        Content::File(path)
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::policy::Level;

    #[test]
    fn what_a_later_folder_covers_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("modules/.bin")).unwrap();
        let mut policy = Policy::new(Level::Standard, Network::None);
        policy.show(root.join("modules/.bin"), Access::Read);
        policy.show(root.join("modules"), Access::Read);
        let plan = Plan::new(&policy).unwrap();
        let paths: Vec<&Path> = plan.steps.iter().map(|step| step.at.as_path()).collect();
        assert_eq!(paths, [root.join("modules")]);
    }

    #[test]
    fn links_on_the_way_are_kept_and_inner_paths_not_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("usr/bin")).unwrap();
        symlink("usr/bin", root.join("bin")).unwrap();
        symlink(root.join("bin"), root.join("tools")).unwrap();
        let mut policy = Policy::new(Level::Standard, Network::None);
        policy.show(root.join("usr"), Access::Read);
        policy.show(root.join("tools"), Access::Read);
        policy.show(root.join("absent"), Access::Read);
        policy.show(root.join("usr/bin"), Access::Write);
        let plan = Plan::new(&policy).unwrap();
        let steps: Vec<String> = plan
            .steps
            .iter()
            .map(|step| {
                let at = step.at.strip_prefix(&root).unwrap().display();
                match &step.content {
                    Content::Link(target) => {
                        let target = target.strip_prefix(&root).unwrap_or(target);
                        format!("{at} -> {}", target.display())
                    }
                    _ => format!("{at} {:?}", step.access),
                }
            })
            .collect();
        assert_eq!(
            steps,
            [
                "usr Read",
                "tools -> bin",
                "bin -> usr/bin",
                "usr/bin Write"
            ]
        );
    }
}
