//! What is built without PostgreSQL says so.

use linerate_store::{Access, Location, Store, StoreError};

#[test]
fn a_history_on_a_server_is_refused_and_the_feature_named() {
    let location = Location::parse("postgres://me:a-secret@127.0.0.1:1/x".as_ref());
    let error = Store::open(location.clone(), Access::Create).expect_err("it cannot be");
    assert_eq!(Err(error.clone()), location.check_supported());
    assert_eq!(error, StoreError::Unsupported { location: "postgres://me:***@127.0.0.1:1/x".to_owned() });
    assert!(error.to_string().contains("the feature `postgres`"), "{error}");
    assert!(error.advice().contains("--features postgres"), "{}", error.advice());
}
