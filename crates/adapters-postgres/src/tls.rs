use std::sync::Arc;

use kernel::StoreError;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};

use crate::{
    PostgresUrl,
    url::{Roots, Verification},
};

const PROTOCOL: &[u8] = b"postgresql";

pub(crate) fn client_config(url: &PostgresUrl) -> Result<ClientConfig, StoreError> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error))?;
    let verifier: Arc<dyn ServerCertVerifier> = match url.verification() {
        Verification::None => Arc::new(AnyName(None, provider)),
        Verification::Issuer => {
            let issuers = issuers(url.roots(), Arc::clone(&provider))?;
            Arc::new(AnyName(Some(issuers), provider))
        }
        Verification::Full => issuers(url.roots(), provider)?,
    };
    let mut config = config
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    Ok(config)
}

fn issuers(
    roots: &Roots,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<WebPkiServerVerifier>, StoreError> {
    WebPkiServerVerifier::builder_with_provider(Arc::new(trusted(roots)?), provider)
        .build()
        .map_err(|error| unusable(&error))
}

fn trusted(roots: &Roots) -> Result<RootCertStore, StoreError> {
    let mut store = RootCertStore::empty();
    match roots {
        Roots::System => {
            let found = rustls_native_certs::load_native_certs();
            store.add_parsable_certificates(found.certs);
            if store.is_empty() {
                let why = found.errors.first().map(ToString::to_string);
                return Err(unusable(&format!(
                    "the operating system trusts no certificates ({}); install its list \
                     (Debian: ca-certificates) or name a file by `sslrootcert`",
                    why.as_deref().unwrap_or("none were found")
                )));
            }
        }
        Roots::File(path) => {
            let in_file = |error: &dyn std::fmt::Display| {
                unusable(&format!("`sslrootcert` {}: {error}", path.display()))
            };
            let certificates =
                CertificateDer::pem_file_iter(path).map_err(|error| in_file(&error))?;
            for certificate in certificates {
                let certificate = certificate.map_err(|error| in_file(&error))?;
                store.add(certificate).map_err(|error| in_file(&error))?;
            }
            if store.is_empty() {
                return Err(in_file(&"holds no certificate in PEM"));
            }
        }
    }
    Ok(store)
}

fn unusable(why: &dyn std::fmt::Display) -> StoreError {
    StoreError::Unavailable(format!("TLS cannot be used: {why}"))
}

/// Accepts a certificate for any name. For `verify-ca`, the issuer must be trusted. For `prefer`
/// and `require`, anyone may be the issuer. This prevents eavesdropping, not impersonation.
#[derive(Debug)]
struct AnyName(Option<Arc<WebPkiServerVerifier>>, Arc<CryptoProvider>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(issuers) = &self.0 else {
            return Ok(ServerCertVerified::assertion());
        };
        match issuers.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now)
        {
            // The name is checked last, so everything else in the certificate is valid.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.1.signature_verification_algorithms;
        verify_tls12_signature(message, cert, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.1.signature_verification_algorithms;
        verify_tls13_signature(message, cert, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.1.signature_verification_algorithms.supported_schemes()
    }
}
