//! Verifies the signatures of GitHub's webhooks.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The header that GitHub signs its deliveries with.
pub const SIGNATURE_HEADER: &str = "x-hub-signature-256";

/// Why a delivery is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSignature {
    #[error(
        "the delivery has no signature; set the same secret in the webhook's settings as in baton's configuration"
    )]
    Missing,
    #[error("the signature of the delivery is not of the form `sha256=` and 64 hexadecimal digits")]
    Malformed,
    #[error(
        "the signature of the delivery is wrong; check that the webhook's secret is the one in baton's configuration"
    )]
    Wrong,
}

/// Checks a delivery's raw body against its signature, in constant time.
pub fn verify(secret: &[u8], body: &[u8], signature: Option<&str>) -> Result<(), BadSignature> {
    let signature = signature.ok_or(BadSignature::Missing)?;
    let digits = signature
        .strip_prefix("sha256=")
        .ok_or(BadSignature::Malformed)?;
    let expected = unhex(digits).ok_or(BadSignature::Malformed)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("a key may have any length");
    mac.update(body);
    mac.verify(&expected.into())
        .map_err(|_| BadSignature::Wrong)
}

fn unhex(digits: &str) -> Option<[u8; 32]> {
    let digits: &[u8; 64] = digits.as_bytes().try_into().ok()?;
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let value = |digit: u8| char::from(digit).to_digit(16);
        let (high, low) = (value(pair[0])?, value(pair[1])?);
        *byte = u8::try_from(high * 16 + low).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example in GitHub's documentation of webhooks.
    const SECRET: &[u8] = b"It's a Secret to Everybody";
    const BODY: &[u8] = b"Hello, World!";
    const SIGNATURE: &str =
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    #[test]
    fn only_the_right_signature_is_believed() {
        assert_eq!(verify(SECRET, BODY, Some(SIGNATURE)), Ok(()));
        let upper = format!("sha256={}", SIGNATURE[7..].to_ascii_uppercase());
        assert_eq!(verify(SECRET, BODY, Some(&upper)), Ok(()));
        for (secret, body) in [(&b"other"[..], BODY), (SECRET, &b"Hello, World"[..])] {
            assert_eq!(
                verify(secret, body, Some(SIGNATURE)),
                Err(BadSignature::Wrong)
            );
        }
        assert_eq!(verify(SECRET, BODY, None), Err(BadSignature::Missing));
        for malformed in [
            "",
            "sha256=",
            "sha1=757107ea",
            &SIGNATURE[..70],
            &SIGNATURE.replace('7', "g"),
            &format!("{SIGNATURE}0"),
            &SIGNATURE.replace("75", "é"),
        ] {
            assert_eq!(
                verify(SECRET, BODY, Some(malformed)),
                Err(BadSignature::Malformed),
                "{malformed}"
            );
        }
    }
}
