//! Apps, which report checks.

use super::users::{self, User};
use crate::store::prelude::*;

row! {
    /// Anyone who reports checks.
    App by (conn, row) {
        id: i64,
        slug: String,
        name: String,
        /// The account that acts for it; none for the forge's own CI.
        bot: Option<User> = users::in_column(conn, row, "bot_id")?,
        created_at: String,
    }
}

/// The forge's own CI has the number of GitHub's.
pub(crate) const ACTIONS_APP: i64 = 15368;

const BOT_SUFFIX: &str = "[bot]";

sql! {
    one by_id(id: i64) -> App: "SELECT * FROM apps WHERE id = ?";
}

/// The app that a bot acts for. It comes into being with the bot's first check.
pub(crate) fn for_bot(tx: &Transaction<'_>, bot: &User, at: &str) -> rusqlite::Result<i64> {
    let slug = bot.login.strip_suffix(BOT_SUFFIX).unwrap_or(&bot.login);
    tx.prepare_cached(
        "INSERT INTO apps (slug, name, bot_id, created_at) VALUES (?, ?, ?, ?)
             ON CONFLICT DO NOTHING",
    )?
    .execute(params![
        slug,
        bot.name.as_deref().unwrap_or(slug),
        bot.id,
        at
    ])?;
    tx.one("SELECT id FROM apps WHERE bot_id = ?", [bot.id])
}
