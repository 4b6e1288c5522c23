use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use baton_host::cmd::Environment;

use crate::edge::quota::Limits;

/// What a forge needs to know before it starts.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The database and the repositories; created when missing.
    pub data: PathBuf,
    /// Port 0 takes a free one.
    pub listen: SocketAddr,
    /// What people and programs call the forge, without a slash at the end;
    /// the address it listens on when not given.
    pub public_url: Option<String>,
    /// For git and for the check commands of the built-in runner.
    pub environment: Environment,
    /// How much a caller may ask.
    pub limits: Limits,
}

impl Settings {
    /// A forge on a free port of this machine's own address.
    pub fn new(data: impl Into<PathBuf>, environment: Environment) -> Self {
        Self {
            data: data.into(),
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            public_url: None,
            environment,
            limits: Limits::default(),
        }
    }
}
