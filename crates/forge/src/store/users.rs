//! Accounts, tokens and members of organisations.

use crate::store::prelude::*;

/// The host of addresses that stand for an account, as GitHub makes them:
/// `ID+LOGIN@HOST`.
pub(crate) const NO_REPLY: &str = "users.noreply.github.com";

row! {
    User {
        id: i64,
        login: String,
        kind: UserKind,
        name: Option<String>,
        email: Option<String>,
        site_admin: bool,
        created_at: String,
    }
}

text_enum! {
    UserKind {
        User = "User",
        Organization = "Organization",
        Bot = "Bot",
    }
}

row! {
    /// What a token lets its bearer do, and who that is.
    Token by (conn, row) {
        user: User = User::from_row(conn, row)?,
        scopes: String,
        expires_at: Option<String>,
        revoked: bool,
    }
}

pub(crate) struct NewUser<'a> {
    pub(crate) login: &'a str,
    pub(crate) kind: UserKind,
    pub(crate) name: Option<&'a str>,
    pub(crate) email: Option<&'a str>,
    pub(crate) site_admin: bool,
    pub(crate) at: &'a str,
}

inserts! {
    create(user: &NewUser<'_>) into users {
        login: user.login, kind: user.kind, name: user.name, email: user.email,
        site_admin: user.site_admin, created_at: user.at,
    }
}

sql! {
    one by_id(id: i64) -> User: "SELECT * FROM users WHERE id = ?";

    /// By id.
    all all() -> User: "SELECT * FROM users ORDER BY id";
    find by_login(login: &str) -> User: "SELECT * FROM users WHERE login = ?";
}

/// The one that another table names, if it does.
pub(crate) fn in_column(conn: &Connection, row: &Row<'_>, column: &str) -> Found<User> {
    let id: Option<i64> = row.get(column)?;
    id.map(|id| by_id(conn, id)).transpose()
}

/// Whose address it is, also one that only stands for the account.
pub(crate) fn by_email(conn: &Connection, email: &str) -> Found<User> {
    if email.is_empty() {
        return Ok(None);
    }
    if let Some(name) = email
        .strip_suffix(NO_REPLY)
        .and_then(|rest| rest.strip_suffix('@'))
    {
        let login = name.split_once('+').map_or(name, |(_, login)| login);
        return by_login(conn, login);
    }
    conn.find(
        "SELECT * FROM users WHERE email = ? COLLATE NOCASE ORDER BY id LIMIT 1",
        [email],
    )
}

inserts! {
    add_token(user_id: i64, sha256: &str, scopes: &str, expires_at: Option<&str>, at: &str) into tokens {
        sha256, user_id, scopes, expires_at, created_at: at,
    }
}

sql! {
    run revoke_token(sha256: &str): "UPDATE tokens SET revoked = 1 WHERE sha256 = ?";
}

pub(crate) fn set_member(
    tx: &Transaction<'_>,
    organization_id: i64,
    user_id: i64,
    is_admin: bool,
) -> rusqlite::Result<()> {
    let role = if is_admin { "admin" } else { "member" };
    tx.run(
        "INSERT INTO members (organization_id, user_id, role) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET role = excluded.role",
        params![organization_id, user_id, role],
    )
}

sql! {
    /// By id.
    all organizations_of(user_id: i64) -> User:
        "SELECT users.* FROM users JOIN members ON organization_id = users.id WHERE user_id = ?
         ORDER BY users.id";
}

pub(crate) fn is_member(
    conn: &Connection,
    organization_id: i64,
    user_id: i64,
) -> rusqlite::Result<bool> {
    Ok(role(conn, organization_id, user_id)?.is_some())
}

pub(crate) fn is_organization_admin(
    conn: &Connection,
    organization_id: i64,
    user_id: i64,
) -> rusqlite::Result<bool> {
    Ok(role(conn, organization_id, user_id)?.as_deref() == Some("admin"))
}

sql! {
    /// `admin` or `member`, in an organisation.
    find role(organization_id: i64, user_id: i64) -> String:
        "SELECT role FROM members WHERE organization_id = ? AND user_id = ?";
}

sql! {
    find token(sha256: &str) -> Token:
        "SELECT users.*, scopes, expires_at, revoked FROM tokens
         JOIN users ON users.id = user_id WHERE sha256 = ?";
}
