use rusqlite::{Connection, OptionalExtension as _, Row, Transaction, params};

/// The host of addresses that stand for an account, as GitHub makes them:
/// `ID+LOGIN@HOST`.
pub(crate) const NO_REPLY: &str = "users.noreply.github.com";

#[derive(Debug, Clone)]
pub(crate) struct User {
    pub(crate) id: i64,
    pub(crate) login: String,
    pub(crate) kind: UserKind,
    pub(crate) name: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) site_admin: bool,
    pub(crate) created_at: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UserKind {
    User,
    Organization,
    Bot,
}

impl UserKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Organization => "Organization",
            Self::Bot => "Bot",
        }
    }
}

/// What a token lets its bearer do, and who that is.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) user: User,
    pub(crate) scopes: String,
    pub(crate) expires_at: Option<String>,
    pub(crate) revoked: bool,
}

pub(crate) struct NewUser<'a> {
    pub(crate) login: &'a str,
    pub(crate) kind: UserKind,
    pub(crate) name: Option<&'a str>,
    pub(crate) email: Option<&'a str>,
    pub(crate) site_admin: bool,
    pub(crate) at: &'a str,
}

pub(crate) fn create(transaction: &Transaction<'_>, user: &NewUser<'_>) -> rusqlite::Result<i64> {
    transaction
        .prepare_cached(
            "INSERT INTO users (login, kind, name, email, site_admin, created_at)
             VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .insert(params![
            user.login,
            user.kind.as_str(),
            user.name,
            user.email,
            user.site_admin,
            user.at,
        ])
}

pub(crate) fn by_id(connection: &Connection, id: i64) -> rusqlite::Result<User> {
    connection
        .prepare_cached("SELECT * FROM users WHERE id = ?")?
        .query_row([id], from_row)
}

/// By id.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<User>> {
    connection
        .prepare_cached("SELECT * FROM users ORDER BY id")?
        .query_map([], from_row)?
        .collect()
}

pub(crate) fn by_login(connection: &Connection, login: &str) -> rusqlite::Result<Option<User>> {
    connection
        .prepare_cached("SELECT * FROM users WHERE login = ?")?
        .query_row([login], from_row)
        .optional()
}

/// Whose address it is, also one that only stands for the account.
pub(crate) fn by_email(connection: &Connection, email: &str) -> rusqlite::Result<Option<User>> {
    if email.is_empty() {
        return Ok(None);
    }
    if let Some(name) = email
        .strip_suffix(NO_REPLY)
        .and_then(|rest| rest.strip_suffix('@'))
    {
        let login = name.split_once('+').map_or(name, |(_, login)| login);
        return by_login(connection, login);
    }
    connection
        .prepare_cached("SELECT * FROM users WHERE email = ? COLLATE NOCASE ORDER BY id LIMIT 1")?
        .query_row([email], from_row)
        .optional()
}

pub(crate) fn add_token(
    transaction: &Transaction<'_>,
    user_id: i64,
    sha256: &str,
    scopes: &str,
    expires_at: Option<&str>,
    at: &str,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO tokens (sha256, user_id, scopes, expires_at, created_at)
             VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![sha256, user_id, scopes, expires_at, at])
        .map(drop)
}

pub(crate) fn revoke_token(transaction: &Transaction<'_>, sha256: &str) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE tokens SET revoked = 1 WHERE sha256 = ?")?
        .execute([sha256])
        .map(drop)
}

pub(crate) fn set_member(
    transaction: &Transaction<'_>,
    organization_id: i64,
    user_id: i64,
    is_admin: bool,
) -> rusqlite::Result<()> {
    let role = if is_admin { "admin" } else { "member" };
    transaction
        .prepare_cached(
            "INSERT INTO members (organization_id, user_id, role) VALUES (?, ?, ?)
             ON CONFLICT DO UPDATE SET role = excluded.role",
        )?
        .execute(params![organization_id, user_id, role])
        .map(drop)
}

/// By id.
pub(crate) fn members_of(
    connection: &Connection,
    organization_id: i64,
) -> rusqlite::Result<Vec<User>> {
    connection
        .prepare_cached(
            "SELECT users.* FROM users JOIN members ON user_id = users.id
             WHERE organization_id = ? ORDER BY users.id",
        )?
        .query_map([organization_id], from_row)?
        .collect()
}

/// By id.
pub(crate) fn organizations_of(
    connection: &Connection,
    user_id: i64,
) -> rusqlite::Result<Vec<User>> {
    connection
        .prepare_cached(
            "SELECT users.* FROM users JOIN members ON organization_id = users.id
             WHERE user_id = ? ORDER BY users.id",
        )?
        .query_map([user_id], from_row)?
        .collect()
}

pub(crate) fn is_member(
    connection: &Connection,
    organization_id: i64,
    user_id: i64,
) -> rusqlite::Result<bool> {
    Ok(role(connection, organization_id, user_id)?.is_some())
}

pub(crate) fn is_organization_admin(
    connection: &Connection,
    organization_id: i64,
    user_id: i64,
) -> rusqlite::Result<bool> {
    Ok(role(connection, organization_id, user_id)?.as_deref() == Some("admin"))
}

/// `admin` or `member`, in an organisation.
pub(crate) fn role(
    connection: &Connection,
    organization_id: i64,
    user_id: i64,
) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT role FROM members WHERE organization_id = ? AND user_id = ?")?
        .query_row([organization_id, user_id], |row| row.get(0))
        .optional()
}

pub(crate) fn token(connection: &Connection, sha256: &str) -> rusqlite::Result<Option<Token>> {
    connection
        .prepare_cached(
            "SELECT users.*, scopes, expires_at, revoked
             FROM tokens JOIN users ON users.id = user_id WHERE sha256 = ?",
        )?
        .query_row([sha256], |row| {
            Ok(Token {
                user: from_row(row)?,
                scopes: row.get("scopes")?,
                expires_at: row.get("expires_at")?,
                revoked: row.get("revoked")?,
            })
        })
        .optional()
}

pub(crate) fn from_row(row: &Row<'_>) -> rusqlite::Result<User> {
    let kind: String = row.get("kind")?;
    Ok(User {
        id: row.get("id")?,
        login: row.get("login")?,
        kind: match kind.as_str() {
            "Organization" => UserKind::Organization,
            "Bot" => UserKind::Bot,
            _ => UserKind::User,
        },
        name: row.get("name")?,
        email: row.get("email")?,
        site_admin: row.get("site_admin")?,
        created_at: row.get("created_at")?,
    })
}
