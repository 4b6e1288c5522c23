//! The system's certificates, loaded when the first server has to be verified.

use std::sync::{Arc, OnceLock};

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};
use rustls_platform_verifier::Verifier;

/// Reading the system's certificates takes longer than dozens of calls to a
/// server on this machine, which need none of them.
#[derive(Debug)]
pub(super) struct SystemVerifier {
    /// Trusted as well.
    extra: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
    loaded: OnceLock<Result<Verifier, Error>>,
}

impl SystemVerifier {
    pub(super) fn new(extra: Vec<CertificateDer<'static>>, provider: Arc<CryptoProvider>) -> Self {
        Self {
            extra,
            provider,
            loaded: OnceLock::new(),
        }
    }

    fn loaded(&self) -> Result<&Verifier, Error> {
        let load = || {
            let provider = Arc::clone(&self.provider);
            Verifier::new_with_extra_roots(self.extra.iter().cloned(), provider)
        };
        self.loaded.get_or_init(load).as_ref().map_err(Clone::clone)
    }
}

impl ServerCertVerifier for SystemVerifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verifier = self.loaded()?;
        verifier.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}
