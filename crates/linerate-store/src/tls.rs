//! The address of a server, and how its certificate is checked.
//!
//! `sslmode` means what it means to PostgreSQL's own programs (PostgreSQL documentation, 34.19 "SSL
//! Support"): `disable`; `prefer` (the default) and `allow`, encrypted if the server can; `require`,
//! encrypted; `verify-ca` and `verify-full`, encrypted and the certificate checked, with `verify-full`
//! also the name. `sslrootcert` names the file of trusted certificates; without it, or with `system`,
//! the system's are used. Given with `require`, it is checked as with `verify-ca`.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

/// How far a server's certificate is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// Not at all: the connection is encrypted, but may be to anybody.
    Anybody,
    /// That somebody trusted has signed it.
    Signed,
    /// Also that it is for this name.
    Named,
}

/// An address without the words that only this module understands, and what they said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// For the library.
    pub(crate) url: String,
    pub(crate) trust: Trust,
    /// The file with trusted certificates; none: the system's.
    pub(crate) roots: Option<String>,
}

impl Address {
    pub(crate) fn of(url: &str) -> Self {
        let (front, query) = url.split_once('?').unwrap_or((url, ""));
        let (mut mode, mut roots) = ("", None);
        let mut words = Vec::new();
        for word in query.split('&').filter(|word| !word.is_empty()) {
            match word.split_once('=') {
                Some(("sslmode", value)) => mode = value,
                Some(("sslrootcert", value)) => roots = Some(unescaped(value)),
                _ => words.push(word.to_owned()),
            }
        }
        let named = roots.is_some();
        let roots = roots.filter(|name| name != "system");
        let trust = match mode {
            "verify-full" => Trust::Named,
            "verify-ca" => Trust::Signed,
            "require" if named => Trust::Signed,
            _ => Trust::Anybody,
        };
        let mode = match mode {
            "verify-ca" | "verify-full" => "require",
            "allow" => "prefer",
            other => other,
        };
        words.extend((!mode.is_empty()).then(|| format!("sslmode={mode}")));
        let url = if words.is_empty() { front.to_owned() } else { format!("{front}?{}", words.join("&")) };
        Self { url, trust, roots }
    }
}

/// `text` with its `%` escapes resolved.
fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escape = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The settings of TLS for a server; or why there can be none.
pub(crate) fn settings(trust: Trust, roots: Option<&Path>) -> Result<ClientConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let chain = match trust {
        Trust::Anybody => None,
        Trust::Signed | Trust::Named => {
            let roots = Arc::new(trusted(roots)?);
            let chain = WebPkiServerVerifier::builder_with_provider(roots, provider.clone()).build();
            Some(chain.map_err(|error| error.to_string())?)
        }
    };
    let verifier = Arc::new(Verifier { chain, named: trust == Trust::Named, provider });
    Ok(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// The trusted certificates: those of a file, or the system's.
fn trusted(file: Option<&Path>) -> Result<RootCertStore, String> {
    let mut store = RootCertStore::empty();
    let certificates = match file {
        None => rustls_native_certs::load_native_certs().certs,
        Some(file) => {
            let failed = |error: &dyn std::error::Error| {
                format!("cannot read certificates from {}: {error}", file.display())
            };
            let read = CertificateDer::pem_file_iter(file).map_err(|error| failed(&error))?;
            read.collect::<Result<Vec<_>, _>>().map_err(|error| failed(&error))?
        }
    };
    store.add_parsable_certificates(certificates);
    if store.is_empty() {
        return Err("there is no trusted certificate; name a file with sslrootcert=FILE".to_owned());
    }
    Ok(store)
}

/// Checks a certificate as far as asked.
#[derive(Debug)]
struct Verifier {
    chain: Option<Arc<WebPkiServerVerifier>>,
    named: bool,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        use CertificateError::{NotValidForName, NotValidForNameContext};
        let Some(chain) = &self.chain else { return Ok(ServerCertVerified::assertion()) };
        match chain.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now) {
            // The name is the last that is checked.
            Err(rustls::Error::InvalidCertificate(NotValidForName | NotValidForNameContext { .. }))
                if !self.named =>
            {
                Ok(ServerCertVerified::assertion())
            }
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(query: &str) -> (String, Trust, Option<String>) {
        let address = Address::of(&format!("postgres://db/team{query}"));
        (address.url.replace("postgres://db/team", ""), address.trust, address.roots)
    }

    #[test]
    fn the_modes_of_postgresql_become_those_of_the_library() {
        let text = str::to_owned;
        assert_eq!(address(""), (text(""), Trust::Anybody, None));
        assert_eq!(address("?sslmode=disable"), (text("?sslmode=disable"), Trust::Anybody, None));
        assert_eq!(address("?sslmode=allow"), (text("?sslmode=prefer"), Trust::Anybody, None));
        assert_eq!(address("?sslmode=require"), (text("?sslmode=require"), Trust::Anybody, None));
        assert_eq!(address("?sslmode=verify-ca"), (text("?sslmode=require"), Trust::Signed, None));
        assert_eq!(address("?sslmode=verify-full"), (text("?sslmode=require"), Trust::Named, None));
        let with_file = address("?sslmode=require&user=me&sslrootcert=%2Fetc%2Fca.pem");
        assert_eq!(with_file, (text("?user=me&sslmode=require"), Trust::Signed, Some(text("/etc/ca.pem"))));
        let system = address("?sslrootcert=system&sslmode=verify-full");
        assert_eq!(system, (text("?sslmode=require"), Trust::Named, None));
    }
}
