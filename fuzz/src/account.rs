//! The account of numbered messages, whatever numbers a peer makes up.

use std::collections::BTreeSet;

use linerate_core::traffic::Datagrams;
use linerate_net::transport::Account;

/// Numbers nearer to each other than this are never taken for lies.
const NEAR: u64 = 1 << 20;
/// With numbers of fewer blocks than this, of 2^16 each, nothing is forgotten.
const FEW: usize = 200;

/// Takes `data` for what a peer says it sent (8 bytes), what the host says it dropped (1 byte), and
/// the numbers of its messages.
pub fn account(data: &[u8]) {
    let Some((sent, rest)) = data.split_first_chunk::<8>() else { return };
    let Some((dropped, rest)) = rest.split_first() else { return };
    let numbers = numbers(rest);
    let set: BTreeSet<u64> = numbers.iter().copied().collect();
    let places: BTreeSet<u64> = set.iter().map(|number| number >> 16).collect();
    for sent in [None, Some(u64::from_be_bytes(*sent))] {
        let said = accounted(&numbers, sent, u64::from(*dropped));
        assert_eq!(said.received + said.duplicated + said.foreign, numbers.len() as u64, "{said:?}");
        assert_eq!(said.received + said.dropped_by_socket + said.lost, said.sent, "{said:?}");
        assert_eq!(said.sent, sent.unwrap_or(said.sent));
        if places.len() < FEW {
            assert_eq!(said.duplicated, (numbers.len() - set.len()) as u64);
            assert_eq!(said.received, set.range(..said.sent).count() as u64);
        }
        if set.last().is_none_or(|largest| *largest < NEAR) {
            assert_eq!(said.reordered, late(&numbers));
        }
    }
}

fn accounted(numbers: &[u64], sent: Option<u64>, dropped: u64) -> Datagrams {
    let mut account = Account::default();
    for number in numbers {
        // The times are as absurd as the numbers.
        account.arrived(*number, (number % 3 > 0).then_some(*number), number.rotate_left(32));
    }
    account.finish(sent, dropped)
}

/// Numbers that came for the first time after a larger one.
fn late(numbers: &[u64]) -> u64 {
    let mut set = BTreeSet::new();
    let is_late = |number: &&u64| {
        let late = set.last().is_some_and(|largest| **number < *largest);
        set.insert(**number) && late
    };
    numbers.iter().filter(is_late).count() as u64
}

/// Each number is the next one, one near the last, or any: as the first byte of it says.
fn numbers(mut bytes: &[u8]) -> Vec<u64> {
    let (mut numbers, mut last) = (Vec::new(), u64::MAX);
    while let Some((how, rest)) = bytes.split_first() {
        (last, bytes) = match (how % 3, rest.split_first_chunk::<2>(), rest.split_first_chunk::<8>()) {
            (1, Some((apart, rest)), _) => {
                (last.wrapping_add_signed(i16::from_be_bytes(*apart).into()), rest)
            }
            (2, _, Some((number, rest))) => (u64::from_be_bytes(*number), rest),
            _ => (last.wrapping_add(1), rest),
        };
        numbers.push(last);
    }
    numbers
}
