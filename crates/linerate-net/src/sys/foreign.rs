//! Bytes that another process may write while they are copied.
//!
//! A plain copy of such bytes is a data race, which Rust does not define: the compiler may assume that they stay as they
//! are while they are copied. Here they are copied by atomic words, in no order that anybody may rely on. A peer that keeps to its protocol writes
//! nothing meanwhile, and its counts order the copies; one that does not changes which bytes arrive, and nothing else.
#![expect(unsafe_code, reason = "the bytes are reached by raw pointers")]

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

/// Unit: bytes.
const WORD: usize = size_of::<usize>();
/// Copied in one round of the loop. Unit: bytes.
const ROUND: usize = 8 * WORD;
/// From here on x86-64 copies by its own instruction, which is faster than words: a compiler does not join them to wider
/// ones. Unit: bytes.  Source: `x86_rep_movsb_threshold` of glibc; 256 was as fast, and words alone four times as slow.
const LONG: usize = 2048;

/// Copies the foreign bytes that begin at `from` into all of `into`.
///
/// # Safety
///
/// As many bytes are mapped at `from`, writable or not, outside `into`. This process makes no reference to them, but for
/// atomics.
pub(crate) unsafe fn load(mut from: *const u8, into: &mut [u8]) {
    if cfg!(target_arch = "x86_64") && into.len() >= LONG {
        // SAFETY: the caller vouches for the foreign bytes; `into` has as many, and they are apart.
        return unsafe { copy_long(from, into.as_mut_ptr(), into.len()) };
    }
    let (first, words) = into.split_at_mut(from.align_offset(WORD).min(into.len()));
    let (rounds, words) = words.as_chunks_mut::<ROUND>();
    let (words, last) = words.as_chunks_mut::<WORD>();
    // SAFETY: the pieces of `into`, and so of the foreign bytes, follow each other. The words are aligned: if there is one,
    // `first` ends where `from` is. An atomic of one word or byte may be loaded from memory that is only readable.
    unsafe {
        from = load_bytes(from, first);
        for round in rounds {
            from = load_words(from, round.as_chunks_mut().0);
        }
        from = load_words(from, words);
        load_bytes(from, last);
    }
}

/// Copies all of `data` to the foreign bytes that begin at `to`.
///
/// # Safety
///
/// As many bytes are mapped writable at `to`, outside `data`. This process makes no reference to them, but for atomics.
pub(crate) unsafe fn store(mut to: *mut u8, data: &[u8]) {
    if cfg!(target_arch = "x86_64") && data.len() >= LONG {
        // SAFETY: as in `load`.
        return unsafe { copy_long(data.as_ptr(), to, data.len()) };
    }
    let (first, words) = data.split_at(to.align_offset(WORD).min(data.len()));
    let (rounds, words) = words.as_chunks::<ROUND>();
    let (words, last) = words.as_chunks::<WORD>();
    // SAFETY: as in `load`.
    unsafe {
        to = store_bytes(to, first);
        for round in rounds {
            to = store_words(to, round.as_chunks().0);
        }
        to = store_words(to, words);
        store_bytes(to, last);
    }
}

/// Copies with one instruction of the processor. To Rust it is as so many atomic loads and stores of bytes: the compiler
/// does not look into it.  Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2B, `REP MOVS`.
///
/// # Safety
///
/// `len` bytes are mapped at each, writable at `to`, and they are apart. No reference but the caller's own to its private
/// ones is in use.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn copy_long(from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: it reads and writes these bytes and changes these registers only; the direction flag is clear on entry.
    unsafe {
        std::arch::asm!(
            "rep movsb",
            inout("rcx") len => _,
            inout("rsi") from => _,
            inout("rdi") to => _,
            options(nostack, preserves_flags),
        );
    }
}

/// Never called: there is no such instruction that every processor has.
///
/// # Safety
///
/// None is needed.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn copy_long(_from: *const u8, _to: *mut u8, _len: usize) {
    unreachable!("copied by words");
}

/// Loads aligned words; what follows them.
///
/// # Safety
///
/// As of [`load`], and `from` is aligned to words.
#[inline]
unsafe fn load_words(from: *const u8, into: &mut [[u8; WORD]]) -> *const u8 {
    let from = from.cast::<usize>().cast_mut();
    for (index, word) in into.iter_mut().enumerate() {
        // SAFETY: the caller has this many aligned words there.
        *word = unsafe { AtomicUsize::from_ptr(from.add(index)) }.load(Ordering::Relaxed).to_ne_bytes();
    }
    // SAFETY: at most one past the words.
    unsafe { from.add(into.len()) }.cast()
}

/// Stores aligned words; what follows them.
///
/// # Safety
///
/// As of [`store`], and `to` is aligned to words.
#[inline]
unsafe fn store_words(to: *mut u8, data: &[[u8; WORD]]) -> *mut u8 {
    let to = to.cast::<usize>();
    for (index, word) in data.iter().enumerate() {
        // SAFETY: the caller has this many aligned words there.
        unsafe { AtomicUsize::from_ptr(to.add(index)) }.store(usize::from_ne_bytes(*word), Ordering::Relaxed);
    }
    // SAFETY: at most one past the words.
    unsafe { to.add(data.len()) }.cast()
}

/// Loads bytes; what follows them.
///
/// # Safety
///
/// As of [`load`].
#[inline]
unsafe fn load_bytes(from: *const u8, into: &mut [u8]) -> *const u8 {
    for (index, byte) in into.iter_mut().enumerate() {
        // SAFETY: the caller has this many bytes there.
        *byte = unsafe { AtomicU8::from_ptr(from.add(index).cast_mut()) }.load(Ordering::Relaxed);
    }
    // SAFETY: at most one past the bytes.
    unsafe { from.add(into.len()) }
}

/// Stores bytes; what follows them.
///
/// # Safety
///
/// As of [`store`].
#[inline]
unsafe fn store_bytes(to: *mut u8, data: &[u8]) -> *mut u8 {
    for (index, byte) in data.iter().enumerate() {
        // SAFETY: the caller has this many bytes there.
        unsafe { AtomicU8::from_ptr(to.add(index)) }.store(*byte, Ordering::Relaxed);
    }
    // SAFETY: at most one past the bytes.
    unsafe { to.add(data.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_at_every_alignment_is_copied_and_nothing_beside_it() {
        let data: Vec<u8> = (1..=251).cycle().take(3 * LONG).collect();
        let lengths = || (0..3 * ROUND / 2).chain([LONG - 1, LONG, LONG + 1, 3 * LONG]);
        for (at, len) in (0..WORD + 1).flat_map(|at| lengths().map(move |len| (at, len))) {
            let mut foreign = vec![0_u8; len + 3 * WORD];
            let start = foreign.as_mut_ptr();
            let mut into = vec![0; len];
            // SAFETY: `at + len` bytes are there, and nothing else refers to them until both are done.
            unsafe {
                store(start.add(at), &data[..len]);
                load(start.add(at), &mut into);
            }
            assert_eq!(into, data[..len], "{len} B at {at}");
            assert_eq!(foreign[at..at + len], data[..len], "{len} B at {at}");
            let beside = foreign[..at].iter().chain(&foreign[at + len..]);
            assert!(beside.into_iter().all(|byte| *byte == 0), "{len} B at {at}");
        }
    }
}
