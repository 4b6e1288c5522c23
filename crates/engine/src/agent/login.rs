//! The files of a home folder that agents log in with, and their settings.

use super::Agent;

/// By the name of the agent: the files it cannot work without. Histories, plugins
/// and other files are left out.
const FILES: &[(&str, &[&str])] = &[
    (
        "claude",
        &[
            ".claude.json",
            ".claude/.credentials.json",
            ".claude/settings.json",
        ],
    ),
    ("codex", &[".codex/auth.json", ".codex/config.toml"]),
    (
        "gemini",
        &[
            ".gemini/oauth_creds.json",
            ".gemini/settings.json",
            ".gemini/google_accounts.json",
            ".gemini/installation_id",
        ],
    ),
    (
        "goose",
        &[".config/goose/config.yaml", ".config/goose/secrets.yaml"],
    ),
    (
        "opencode",
        &[
            ".config/opencode/opencode.json",
            ".local/share/opencode/auth.json",
        ],
    ),
    ("aider", &[".aider.conf.yml", ".aider.model.settings.yml"]),
];

impl Agent {
    /// Relative to the home folder.
    pub fn login_files(&self) -> &'static [&'static str] {
        let files = FILES.iter().find(|(name, _)| *name == self.name);
        files.map_or(&[], |(_, files)| files)
    }
}
