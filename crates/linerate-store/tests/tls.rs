//! A server with a certificate and a password.

use std::net::TcpListener;

use base64::Engine as _;
use linerate_store::{Access, Existing, Location, Store, StoreError};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::support::record;
use crate::support::server::Server;

/// Passwords everywhere, over TCP only with TLS; the tests' own psql has the socket.
const RULES: &str = "local all linerate trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";

/// A port that was free a moment ago.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address").port()
}

/// RFC 7468.
fn pem(label: &str, der: &[u8]) -> String {
    let text = base64::engine::general_purpose::STANDARD.encode(der);
    let lines: String =
        text.as_bytes().chunks(64).map(|line| format!("{}\n", String::from_utf8_lossy(line))).collect();
    format!("-----BEGIN {label}-----\n{lines}-----END {label}-----\n")
}

#[test]
fn a_certificate_is_checked_as_far_as_asked() {
    let Some(server) = Server::start() else { return };
    let mut authority = CertificateParams::new(Vec::new()).expect("no names");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority =
        CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key")).expect("signed");
    let key = KeyPair::generate().expect("a key");
    let names = CertificateParams::new(vec!["localhost".to_owned()]).expect("a name");
    let certificate = names.signed_by(&key, &authority).expect("signed");
    let port = free_port();
    let settings = ["listen_addresses=127.0.0.1", "ssl=on"];
    let files = [
        ("server.crt", &*pem("CERTIFICATE", certificate.der())),
        ("server.key", &*pem("PRIVATE KEY", &key.serialize_der())),
        ("pg_hba.conf", RULES),
    ];
    let server = server.with(port, &settings, &files);
    server.psql("postgres", "CREATE ROLE me SUPERUSER LOGIN PASSWORD 'a-secret'").expect("a role");
    let folder = tempfile::tempdir().expect("a folder");
    let trusted = folder.path().join("ca.pem");
    std::fs::write(&trusted, pem("CERTIFICATE", authority.der())).expect("written");
    let ca = trusted.display();
    let open = |host: &str, password: &str, query: &str| {
        let url = format!("postgres://me:{password}@{host}:{port}/postgres?{query}");
        Store::open(Location::parse(url.as_ref()), Access::Create)
    };
    // With TLS, and the password bound to the certificate (SCRAM-SHA-256-PLUS).
    for (host, query) in [
        ("127.0.0.1", ""),
        ("127.0.0.1", "sslmode=require"),
        ("127.0.0.1", "sslmode=require&channel_binding=require"),
        ("127.0.0.1", &format!("sslmode=verify-ca&sslrootcert={ca}")),
        ("127.0.0.1", &format!("sslmode=require&sslrootcert={ca}")),
        ("localhost", &format!("sslmode=verify-full&sslrootcert={ca}")),
    ] {
        let mut store =
            open(host, "a-secret", query).unwrap_or_else(|error| panic!("{query}: failed to {error}"));
        let sql = "SELECT count(*) FROM pg_stat_ssl WHERE ssl";
        assert_eq!(server.psql("postgres", sql), Ok("1".to_owned()), "{query}");
        store.record(&record("1", "b", 1), Existing::Keep).expect("recorded");
    }
    for (host, password, query) in [
        // Not its name; nobody whom the system trusts has signed it; no TLS; another password.
        ("127.0.0.1", "a-secret", &*format!("sslmode=verify-full&sslrootcert={ca}")),
        ("localhost", "a-secret", "sslmode=verify-ca"),
        ("localhost", "a-secret", "sslmode=verify-full"),
        ("127.0.0.1", "a-secret", "sslmode=require&sslrootcert=/nowhere"),
        ("127.0.0.1", "a-secret", "sslmode=disable"),
        ("127.0.0.1", "a-secretx", "sslmode=require"),
    ] {
        let error = open(host, password, query).expect_err(query);
        assert!(
            matches!(
                error,
                StoreError::Open { .. } | StoreError::Refused { .. } | StoreError::Database { .. }
            ),
            "{error}"
        );
        assert!(!error.to_string().contains("a-secret"), "{error}");
    }
}
