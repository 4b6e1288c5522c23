//! The way from here to a clean stack, as commands that run as they are
//! printed in a clone of the repository.
//!
//! Commits are given by their ids: what is run is what was rehearsed. No
//! command throws away commits of a local branch, and a push replaces only
//! what was seen.

use baton_host::cmd::quote;
use baton_protocol::tools::manage_stacked_prs::{RebaseKind, StackCommand, StackCommandKind};

use super::super::gh;
use super::members::Member;
use super::rehearsal::Rehearsal;
use super::survey::{Move, Onto, Survey};
use super::{landing, merging};

/// What the caller wants beside the rebase itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandOptions {
    pub(super) kind: RebaseKind,
    pub(super) auto_fix: bool,
    pub(super) max_iterations: u64,
}

/// Nothing but looking, where a person has to decide first.
pub(super) fn to_look(survey: &Survey) -> Vec<StackCommand> {
    let mut steps = Steps::default();
    steps.add(
        StackCommandKind::Git,
        fetch(survey),
        "Get the commits of the stack.",
    );
    let range = format!("{}..{}", survey.target.tip, survey.dependent.head);
    steps.add(
        StackCommandKind::Verification,
        format!("git log --oneline {}", quote(&range)),
        format!(
            "See which of these commits are to stay in #{}.",
            survey.dependent.number
        ),
    );
    steps.list
}

pub(super) fn build(survey: &Survey, options: CommandOptions) -> Vec<StackCommand> {
    let mut steps = Steps::default();
    if !survey.moves.is_empty() {
        let description = format!(
            "In a clone of {}: get the commits of the stack.",
            survey.repository
        );
        steps.add(StackCommandKind::Git, fetch(survey), description);
    }
    for (place, one) in survey.moves.iter().enumerate() {
        let kind = match place {
            0 => options.kind,
            // What it stood on is rewritten, so that only the fork point is left.
            _ => RebaseKind::Onto,
        };
        steps.rebase(survey, one, kind);
    }
    for one in &survey.moves {
        steps.verify(survey, one);
    }
    if let Some(base) = new_base(survey) {
        steps.retarget(survey, base);
    }
    steps.push(survey);
    for one in &survey.moves {
        steps.wait(survey, &one.member);
    }
    if let Some(first) = survey.moves.first()
        && options.auto_fix
        && options.max_iterations > 0
    {
        steps.fix(survey, &first.member, options.max_iterations);
    }
    steps.list
}

/// The branch that the lowest one has to go to, when it goes to another one.
pub(in super::super) fn new_base(survey: &Survey) -> Option<(&Member, &str)> {
    survey.landing.as_ref()?;
    let ground = survey.ground.as_ref()?;
    let way = survey
        .stack
        .way_up(survey.base.number, survey.dependent.number)?;
    let lowest = survey.stack.member(*way.first()?)?;
    let is_branch = ground.reference.starts_with("refs/heads/");
    let differs = lowest.base_branch.as_ref() != Some(&ground.label);
    (lowest.standing.is_open() && is_branch && differs).then_some((lowest, &ground.label))
}

pub(super) fn regular(survey: &Survey, one: &Move) -> String {
    format!(
        "git rebase {} {}",
        quote(new_ground(survey, &one.onto)),
        quote(local_branch(survey, &one.member))
    )
}

pub(super) fn onto(survey: &Survey, one: &Move) -> String {
    format!(
        "git rebase --onto {} {} {}",
        quote(new_ground(survey, &one.onto)),
        one.fork_point.commit,
        quote(local_branch(survey, &one.member))
    )
}

pub(super) fn merge(survey: &Survey, one: &Move) -> String {
    let ground = new_ground(survey, &one.onto);
    merging::command(survey, one, &ground, &local_branch(survey, &one.member))
}

fn fetch(survey: &Survey) -> String {
    let mut references: Vec<String> = survey
        .moves
        .iter()
        .map(|one| &one.member)
        .chain(survey.moves.is_empty().then_some(&survey.dependent))
        .map(|member| format!("refs/pull/{}/head", member.number))
        .collect();
    for one in &survey.moves {
        if let Onto::Standing(below) = &one.onto {
            references.push(format!("refs/pull/{}/head", below.number));
        }
    }
    let ground = survey.ground.iter().map(|ground| ground.reference.clone());
    let mut words = vec![
        "git fetch --no-tags".to_owned(),
        quote(survey.objects.remote_name()),
    ];
    words.extend(ground.chain(references).map(quote));
    words.dedup();
    words.join(" ")
}

/// What a rebase takes for its new base.
fn new_ground(survey: &Survey, onto: &Onto) -> String {
    match onto {
        Onto::Ground => survey
            .ground
            .as_ref()
            .map(|ground| ground.commit.clone())
            .unwrap_or_default(),
        Onto::Standing(below) => below.head.clone(),
        Onto::Moved(number) => match survey.stack.member(*number) {
            Some(below) => format!("refs/heads/{}", local_branch(survey, below)),
            None => String::new(),
        },
    }
}

/// A branch of a fork has a name that may mean something else here.
fn local_branch(survey: &Survey, member: &Member) -> String {
    let branch = &member.head_branch;
    let is_usable = !member.is_fork
        && !branch.starts_with('-')
        && branch != "HEAD"
        && *branch != survey.target.branch;
    if is_usable {
        branch.clone()
    } else {
        format!("pr-{}", member.number)
    }
}

#[derive(Default)]
struct Steps {
    list: Vec<StackCommand>,
}

impl Steps {
    fn add(
        &mut self,
        kind: StackCommandKind,
        command: impl Into<String>,
        description: impl Into<String>,
    ) -> &mut StackCommand {
        let step = self.list.len() as u64 + 1;
        self.list.push(StackCommand {
            step,
            kind,
            command: command.into(),
            description: description.into(),
            estimated_duration: None,
            can_automate: true,
            skip_if: None,
            retry_on_failure: None,
            max_retries: None,
        });
        self.list.last_mut().expect("one was added a moment ago")
    }

    fn rebase(&mut self, survey: &Survey, one: &Move, kind: RebaseKind) {
        let Move {
            member, fork_point, ..
        } = one;
        let branch = quote(local_branch(survey, member));
        let head = &member.head;
        self.add(
            StackCommandKind::Git,
            format!(
                "{{ git switch {branch} || git switch --no-track --create {branch} {head}; }} \
                 && git merge --ff-only {head}"
            ),
            format!(
                "Check out #{} at its head; stops if the local branch has gone another way.",
                member.number
            ),
        );
        let command = match kind {
            _ if one.by_merge => merge(survey, one),
            RebaseKind::Regular => regular(survey, one),
            RebaseKind::Onto => onto(survey, one),
        };
        let number = member.number;
        let description = match &one.rehearsal {
            Rehearsal::Clean { .. } if one.by_merge => format!(
                "Merge what is below #{number} into it: its {} stay. Rehearsed without conflicts.",
                landing::commits(fork_point.own.len())
            ),
            Rehearsal::Conflict { files, .. } if one.by_merge => format!(
                "Merge what is below #{number} into it. It will stop, with conflicts in {}: run `git merge {}` \
                 instead, resolve them, `git add` them, then `git commit`.",
                files.join(", "),
                new_ground(survey, &one.onto)
            ),
            Rehearsal::Clean { .. } => format!(
                "Put #{number} on its new base: {}. Rehearsed without conflicts.",
                fork_point.shown()
            ),
            Rehearsal::Conflict { at, files, .. } => format!(
                "Put #{number} on its new base: {}. It will stop at {} with conflicts in {}: resolve them, \
                 `git add` them, then `git rebase --continue`.",
                fork_point.shown(),
                at.short(),
                files.join(", ")
            ),
            Rehearsal::HasMerge { commit, .. } => format!(
                "Put #{number} on its new base. It has the merge commit {}, which a rebase flattens: compare \
                 the result with care.",
                commit.short()
            ),
            Rehearsal::NotReached => format!(
                "Put #{number} on its new base: {}. Not rehearsed, as what is below it has conflicts.",
                fork_point.shown()
            ),
        };
        let is_clean = matches!(one.rehearsal, Rehearsal::Clean { .. });
        let step = self.add(StackCommandKind::Git, command, description);
        step.can_automate = is_clean && fork_point.certain && one.objections.is_empty();
        step.retry_on_failure = Some(false);
    }

    fn verify(&mut self, survey: &Survey, one: &Move) {
        if one.by_merge {
            let (ground, branch) = (
                new_ground(survey, &one.onto),
                local_branch(survey, &one.member),
            );
            self.add(
                StackCommandKind::Verification,
                merging::verification(one, &ground, &branch),
                format!("#{} changes what is below it as before.", one.member.number),
            );
            return;
        }
        let old = format!("{}..{}", one.fork_point.commit, one.member.head);
        let branch = local_branch(survey, &one.member);
        let new = format!("{}..refs/heads/{branch}", new_ground(survey, &one.onto));
        self.add(
            StackCommandKind::Verification,
            format!("git range-diff --no-patch {} {}", quote(old), quote(new)),
            format!(
                "Compare #{} before and after: every line has `=`, or the commit changed.",
                one.member.number
            ),
        );
    }

    fn retarget(&mut self, survey: &Survey, (member, branch): (&Member, &str)) {
        let path = format!("repos/{}/pulls/{}", survey.repository, member.number);
        self.add(
            StackCommandKind::Git,
            gh::command(
                &survey.web_url,
                &[
                    "api",
                    "--silent",
                    "--method",
                    "PATCH",
                    &path,
                    "-f",
                    &format!("base={branch}"),
                ],
            ),
            format!("Let #{} go to `{branch}`.", member.number),
        );
    }

    /// All branches of one repository in one transaction.
    fn push(&mut self, survey: &Survey) {
        let mut places: Vec<(String, Vec<&Move>)> = Vec::new();
        for one in &survey.moves {
            let Some(place) = push_place(survey, &one.member) else {
                continue;
            };
            match places.iter_mut().find(|(known, _)| *known == place) {
                Some((_, moves)) => moves.push(one),
                None => places.push((place, vec![one])),
            }
        }
        for (place, moves) in places {
            let mut words = vec!["git push --atomic".to_owned()];
            for one in &moves {
                let Member {
                    head_branch, head, ..
                } = &one.member;
                let lease = format!("--force-with-lease=refs/heads/{head_branch}:{head}");
                words.push(quote(lease));
            }
            words.push(quote(place));
            for one in &moves {
                let local = local_branch(survey, &one.member);
                let branch = &one.member.head_branch;
                words.push(quote(format!("refs/heads/{local}:refs/heads/{branch}")));
            }
            let numbers: Vec<String> = moves
                .iter()
                .map(|one| format!("#{}", one.member.number))
                .collect();
            let mut description = format!(
                "Push {}: all of them or none, and only if no one pushed since.",
                numbers.join(", ")
            );
            let is_locked = moves
                .iter()
                .any(|one| one.member.is_fork && !one.member.maintainer_can_modify);
            if is_locked {
                description += " Only the owner of the fork may do this.";
            }
            let step = self.add(StackCommandKind::Git, words.join(" "), description);
            step.can_automate = !is_locked;
            step.retry_on_failure = Some(false);
        }
    }

    fn wait(&mut self, survey: &Survey, member: &Member) {
        let pr = quote(format!("{}#{}", survey.repository, member.number));
        self.add(
            StackCommandKind::CiWait,
            format!("baton pr get-failing-tests {pr} --wait --bail-on-first"),
            format!("Wait for CI of #{} and see what fails.", member.number),
        );
    }

    fn fix(&mut self, survey: &Survey, member: &Member, rounds: u64) {
        let pr = quote(format!("{}#{}", survey.repository, member.number));
        let step = self.add(
            StackCommandKind::Fix,
            format!("baton pr get-failing-tests {pr}"),
            format!(
                "Fix what it lists in #{}, commit and push, and wait for CI again; then bring those above \
                 up to date by asking again.",
                member.number
            ),
        );
        step.skip_if = Some("No test failures detected".to_owned());
        step.retry_on_failure = Some(true);
        step.max_retries = Some(rounds);
    }
}

/// Where to push the head of a pull request; `None` when it is gone.
fn push_place(survey: &Survey, member: &Member) -> Option<String> {
    if !member.is_fork {
        return Some(survey.objects.remote_name().to_owned());
    }
    let repository = member.head_repository.as_ref()?;
    Some(format!("{}/{repository}.git", survey.web_url))
}
