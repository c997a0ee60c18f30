//! How the two ends of a secured channel authenticate each other.
//!
//! The responder makes a key and a certificate for every load, and names the certificate in
//! the conversation. The initiator believes exactly that one. So a channel is as sure of its
//! peer as the conversation was: with a key, the peer has proved it; at an open server, nobody has
//! proved anything, and whoever can change the conversation can change the certificate in it.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{ClientConfig, Resumption};
use rustls::crypto::ring::{cipher_suite::TLS13_AES_128_GCM_SHA256, default_provider};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::server::ServerConfig;
use rustls::version::TLS13;
use rustls::{CertificateError, DigitallySignedStruct, Error, SignatureScheme};

use super::TransportError;
use crate::control::Rendezvous;

/// The name in every certificate. It has no meaning; only the certificate as a whole counts.
pub(super) const NAME: &str = "linerate";
/// The application protocol of both ends (ALPN, RFC 7301), which QUIC demands (RFC 9001, section
/// 8.1).
const PROTOCOL: &[u8] = b"linerate";
/// The one cipher suite, so that two measurements differ in the network and not in the cipher. It
/// is the one that every TLS 1.3 must have. Source: RFC 8446, section 9.1.
pub(super) const SUITE: &str = "TLS13_AES_128_GCM_SHA256";

/// A key that was made for one load, and the certificate for it.
#[derive(Debug)]
pub(super) struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivatePkcs8KeyDer<'static>,
}

impl Identity {
    /// A fresh one.
    pub(super) fn fresh() -> Result<Self, TransportError> {
        let made = rcgen::generate_simple_self_signed([NAME.to_owned()])
            .map_err(|error| TransportError::Secure(format!("no certificate could be made: {error}")))?;
        Ok(Self { certificate: made.cert.der().clone(), key: made.signing_key.serialize_der().into() })
    }

    /// The certificate in DER, for the conversation.
    pub(super) fn certificate(&self) -> Vec<u8> {
        self.certificate.to_vec()
    }

    /// What the responder of TLS, or of the TLS in QUIC, goes by.
    pub(super) fn server(&self) -> Result<Arc<ServerConfig>, TransportError> {
        let key = PrivateKeyDer::Pkcs8(self.key.clone_key());
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&TLS13])
            .map_err(|error| handshake_failed(&error))?
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], key)
            .map_err(|error| handshake_failed(&error))?;
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        // No session is resumed, and a ticket would add bytes that no flow has sent.
        config.send_tls13_tickets = 0;
        Ok(Arc::new(config))
    }
}

/// What the initiator goes by: it believes the certificate that `rendezvous` names, and no other.
pub(super) fn client(rendezvous: &Rendezvous) -> Result<Arc<ClientConfig>, TransportError> {
    let Some(certificate) = &rendezvous.certificate else {
        return Err(TransportError::Secure("the peer names no certificate".to_owned()));
    };
    let provider = provider();
    let pinned = Pinned {
        certificate: certificate.clone().into(),
        algorithms: provider.signature_verification_algorithms,
    };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| handshake_failed(&error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(pinned))
        .with_no_client_auth();
    config.alpn_protocols = vec![PROTOCOL.to_vec()];
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider { cipher_suites: vec![TLS13_AES_128_GCM_SHA256], ..default_provider() })
}

/// Accepts one certificate. The handshake checks as usual that its owner holds the key.
#[derive(Debug)]
struct Pinned {
    certificate: CertificateDer<'static>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        _name: &ServerName<'_>,
        _ocsp: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if *shown == self.certificate && intermediates.is_empty() {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(CertificateError::ApplicationVerificationFailure.into())
        }
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _certificate: &CertificateDer<'_>,
        _signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Err(Error::General("TLS 1.2 is not spoken here".to_owned()))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// Why a handshake failed, or was not even begun.
pub(super) fn handshake_failed(error: &Error) -> TransportError {
    match error {
        Error::InvalidCertificate(_) => disbelieved(),
        other => TransportError::Secure(other.to_string()),
    }
}

/// The peer is not the one of the conversation.
pub(super) fn disbelieved() -> TransportError {
    TransportError::Secure(
        "the peer shows another certificate than the conversation named; something between the two ends \
         may pretend to be the server"
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use rustls::{ClientConnection, Connection, ServerConnection};

    use super::*;

    /// Runs a handshake in memory; what the initiator says of it.
    fn handshake(server: Arc<ServerConfig>, client: Arc<ClientConfig>) -> Result<(), Error> {
        let name = ServerName::try_from(NAME).expect("a name");
        let mut ends: [Connection; 2] = [
            ClientConnection::new(client, name).expect("a client").into(),
            ServerConnection::new(server).expect("a server").into(),
        ];
        while ends[0].is_handshaking() {
            for (from, to) in [(0, 1), (1, 0)] {
                let mut wire = Vec::new();
                while ends[from].wants_write() {
                    ends[from].write_tls(&mut wire).expect("memory takes all");
                }
                let mut wire = &wire[..];
                while !wire.is_empty() {
                    ends[to].read_tls(&mut wire).expect("memory gives all");
                    ends[to].process_new_packets()?;
                }
            }
        }
        let suite = ends[0].negotiated_cipher_suite().expect("one is agreed").suite();
        assert_eq!(suite.as_str(), Some(SUITE));
        Ok(())
    }

    fn naming(identity: &Identity) -> Rendezvous {
        let place = crate::control::ChannelAddress::Conversation;
        Rendezvous { address: place, certificate: Some(identity.certificate()) }
    }

    #[test]
    fn the_certificate_of_the_conversation_is_believed() {
        let identity = Identity::fresh().expect("a certificate");
        let client = client(&naming(&identity)).expect("a client");
        assert_eq!(handshake(identity.server().expect("a server"), client), Ok(()));
    }

    #[test]
    fn another_certificate_of_the_same_name_is_refused() {
        let [one, other] = [(); 2].map(|()| Identity::fresh().expect("a certificate"));
        let client = client(&naming(&other)).expect("a client");
        let error = handshake(one.server().expect("a server"), client).expect_err("it is another");
        assert!(matches!(error, Error::InvalidCertificate(_)), "{error:?}");
    }

    #[test]
    fn the_certificate_without_its_key_is_refused() {
        let [victim, thief] = [(); 2].map(|()| Identity::fresh().expect("a certificate"));
        let client = client(&naming(&victim)).expect("a client");
        // rustls does not let a server have a key that does not fit; a resolver does not look.
        let key = rustls::crypto::ring::sign::any_eddsa_type(&thief.key).or_else(|_| {
            rustls::crypto::ring::sign::any_ecdsa_type(&PrivateKeyDer::Pkcs8(thief.key.clone_key()))
        });
        let shown = rustls::sign::CertifiedKey::new(vec![victim.certificate.clone()], key.expect("a key"));
        let mut server = ServerConfig::clone(&victim.server().expect("a server"));
        server.cert_resolver = Arc::new(rustls::sign::SingleCertAndKey::from(shown));
        let error = handshake(Arc::new(server), client).expect_err("it does not hold the key");
        assert!(matches!(error, Error::InvalidCertificate(CertificateError::BadSignature)), "{error:?}");
    }

    #[test]
    fn a_meeting_without_a_certificate_is_refused() {
        let rendezvous = crate::control::ChannelAddress::Conversation.into();
        assert!(matches!(client(&rendezvous), Err(TransportError::Secure(_))));
    }
}
