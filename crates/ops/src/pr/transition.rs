//! Which of an issue's transitions leads to code review.

use baton_remote::jira::Transition;

/// What was found among the transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice<'a> {
    One(&'a Transition),
    /// Equally good ones; a person has to choose.
    Several(Vec<&'a Transition>),
    None,
}

/// Looks for the best tier in which there is any transition. A transition
/// belongs to the best tier of its name and of the status that it leads to.
pub(super) fn choose<'a>(transitions: &'a [Transition], acronyms: &[String]) -> Choice<'a> {
    let mut best: Vec<&Transition> = Vec::new();
    let mut best_tier = None;
    for transition in transitions {
        let names = [Some(&transition.name), transition.to.as_ref()];
        let tiers = names.into_iter().flatten();
        let Some(tier) = tiers.filter_map(|name| tier(name, acronyms)).min() else {
            continue;
        };
        if best_tier.is_none_or(|known| tier < known) {
            best.clear();
            best_tier = Some(tier);
        }
        if best_tier == Some(tier) {
            best.push(transition);
        }
    }
    match &best[..] {
        [] => Choice::None,
        [only] => Choice::One(only),
        _ => Choice::Several(best),
    }
}

/// Whether an issue in this status is where the transition was to lead.
pub(super) fn is_review(status: &str, acronyms: &[String]) -> bool {
    tier(status, acronyms).is_some()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Exact,
    AnyCase,
    ContainsCodeReview,
    Acronym,
    ContainsReview,
}

const EXACT: [&str; 2] = ["In Code Review", "Code Review"];

fn tier(name: &str, acronyms: &[String]) -> Option<Tier> {
    let name = name.trim();
    if EXACT.contains(&name) {
        return Some(Tier::Exact);
    }
    let lower = name.to_lowercase();
    if EXACT.iter().any(|exact| exact.to_lowercase() == lower) {
        return Some(Tier::AnyCase);
    }
    if lower.contains("code review") {
        return Some(Tier::ContainsCodeReview);
    }
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    if words.any(|word| acronyms.iter().any(|known| known.to_lowercase() == word)) {
        return Some(Tier::Acronym);
    }
    lower.contains("review").then_some(Tier::ContainsReview)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> Vec<Transition> {
        let transition = |name: &&str| Transition {
            id: format!("id of {name}"),
            name: (*name).to_owned(),
            to: None,
            required_fields: Vec::new(),
        };
        names.iter().map(transition).collect()
    }

    fn chosen(names: &[&str]) -> String {
        let transitions = named(names);
        let acronyms = ["CR".to_owned(), "ICR".to_owned()];
        match choose(&transitions, &acronyms) {
            Choice::One(one) => one.name.clone(),
            Choice::Several(several) => {
                let names: Vec<&str> = several.iter().map(|one| one.name.as_str()).collect();
                format!("several: {}", names.join(", "))
            }
            Choice::None => "none".to_owned(),
        }
    }

    #[test]
    fn only_the_best_tier_counts() {
        assert_eq!(
            chosen(&["Review", "Code Review", "code review"]),
            "Code Review"
        );
        assert_eq!(chosen(&["Start review", "CODE REVIEW"]), "CODE REVIEW");
        assert_eq!(
            chosen(&["CR", "Ready for Code Review", "Review"]),
            "Ready for Code Review"
        );
        assert_eq!(chosen(&["Move to CR", "Peer review"]), "Move to CR");
        assert_eq!(chosen(&["Peer review", "Done"]), "Peer review");
    }

    #[test]
    fn equals_are_several_and_strangers_none() {
        assert_eq!(
            chosen(&["Code Review", "In Code Review", "Review"]),
            "several: Code Review, In Code Review"
        );
        assert_eq!(chosen(&["Done", "In Progress", "Blocked"]), "none");
        assert_eq!(chosen(&[]), "none");
    }

    #[test]
    fn an_acronym_is_a_whole_word() {
        assert_eq!(chosen(&["Create", "Scrap"]), "none");
    }

    #[test]
    fn the_status_that_it_leads_to_counts_as_well() {
        let mut transitions = named(&["Submit", "Review later"]);
        transitions[0].to = Some("In Code Review".to_owned());
        assert_eq!(choose(&transitions, &[]), Choice::One(&transitions[0]));
    }
}
