//! What a repository is, and how to clone it. Its files are for git to show.

use super::prelude::*;

pub(super) fn routes() -> Router<App> {
    Router::new().route("/{owner}/{name}", get(overview))
}

#[derive(Template)]
#[template(path = "repository.html")]
struct Overview {
    chrome: Chrome,
    repo: Masthead,
    description: Option<String>,
    clone_url: String,
    default_branch: String,
    is_empty: bool,
}

async fn overview(
    visit: Visit,
    Path((owner, name)): Path<(String, String)>,
) -> Result<Page<Overview>, PageError> {
    // What git is given also leads here in a browser.
    if let Some(name) = name.strip_suffix(".git") {
        let repository = visit.repository(&owner, name)?;
        return Err(PageError::Moved(home_of(&repository)));
    }
    let repository = visit.repository(&owner, &name)?;
    let full_name = repository.full_name();
    let refs = visit.git(&repository).refs(&["refs/heads"]).await?;
    Ok(Page(Overview {
        chrome: visit.chrome(full_name.clone()),
        repo: visit.masthead(&repository, Tab::Code)?,
        clone_url: visit.app.urls().page(&format!("/{full_name}.git")),
        description: repository.description.clone(),
        default_branch: repository.default_branch.clone(),
        is_empty: refs.is_empty(),
    }))
}
