use async_graphql::{Interface, Object};

use super::User;
use crate::graphql::enums::GitSignatureState;

/// What somebody signed a commit with. The forge knows no keys, so that it can
/// tell that there is a signature and of which kind, and nothing more.
#[derive(Interface)]
#[graphql(
    field(name = "email", ty = "&str"),
    field(name = "is_valid", ty = "bool"),
    field(name = "signature", ty = "&str"),
    field(name = "signer", ty = "Option<User>"),
    field(name = "state", ty = "GitSignatureState"),
    field(name = "was_signed_by_git_hub", ty = "bool")
)]
pub(in crate::graphql) enum GitSignature {
    Gpg(GpgSignature),
    Ssh(SshSignature),
    Smime(SmimeSignature),
    Unknown(UnknownSignature),
}

impl GitSignature {
    pub(super) fn of(signature: &str, email: &str) -> Self {
        let signature = signature.to_owned();
        let email = email.to_owned();
        if signature.contains("BEGIN PGP SIGNATURE") {
            Self::Gpg(GpgSignature { signature, email })
        } else if signature.contains("BEGIN SSH SIGNATURE") {
            Self::Ssh(SshSignature { signature, email })
        } else if signature.contains("BEGIN SIGNED MESSAGE") {
            Self::Smime(SmimeSignature { signature, email })
        } else {
            Self::Unknown(UnknownSignature { signature, email })
        }
    }
}

macro_rules! signatures {
    ($($name:ident),*) => {$(
        pub(in crate::graphql) struct $name {
            signature: String,
            email: String,
        }

        #[Object]
        impl $name {
            pub(super) async fn email(&self) -> &str {
                &self.email
            }

            pub(super) async fn is_valid(&self) -> bool {
                false
            }

            pub(super) async fn signature(&self) -> &str {
                &self.signature
            }

            pub(super) async fn signer(&self) -> Option<User> {
                None
            }

            pub(super) async fn state(&self) -> GitSignatureState {
                GitSignatureState::UnknownKey
            }

            pub(super) async fn was_signed_by_git_hub(&self) -> bool {
                false
            }
        }
    )*};
}

signatures!(GpgSignature, SshSignature, SmimeSignature, UnknownSignature);
