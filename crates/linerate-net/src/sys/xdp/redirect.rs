//! The program that leads an interface's frames to an `AF_XDP` socket.
//!
//! It is a dozen comparisons, put together here as instructions: a compiler for them would be a
//! tool that every build needs.  Source: bpf(2), linux/bpf.h; the instruction set is RFC 9669.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};

use super::Refused;

/// Bytes of a frame that must be as said, 2, 4 or 8 of them.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Where, from the start of the frame.
    pub(crate) at: usize,
    /// What.
    pub(crate) bytes: Vec<u8>,
}

/// Leads frames to a socket as long as it lives. Nothing stays at the interface afterwards, also
/// when the process is killed.
#[derive(Debug)]
pub(super) struct Redirect {
    _link: OwnedFd,
    _program: OwnedFd,
    _map: OwnedFd,
}

/// Commands and kinds of bpf(2).  Source: linux/bpf.h.
const MAP_CREATE: libc::c_long = 0;
const MAP_UPDATE: libc::c_long = 2;
const PROG_LOAD: libc::c_long = 5;
const LINK_CREATE: libc::c_long = 28;
const MAP_OF_SOCKETS: u32 = 17;
const PROGRAM_XDP: u32 = 6;
const ATTACH_XDP: u32 = 37;
/// `XDP_FLAGS_SKB_MODE`: works with every driver, as copy mode does.
const GENERIC: u32 = 2;

#[repr(C)]
struct MapCreate {
    kind: u32,
    key_size: u32,
    value_size: u32,
    entries: u32,
    flags: u32,
}

#[repr(C)]
struct MapUpdate {
    map: u64,
    key: u64,
    value: u64,
    flags: u64,
}

#[repr(C)]
struct ProgLoad {
    kind: u32,
    count: u32,
    instructions: u64,
    license: u64,
    log_level: u32,
    log_size: u32,
    log: u64,
    kernel: u32,
    flags: u32,
    name: [u8; 16],
    interface: u32,
    attach: u32,
}

#[repr(C)]
struct LinkCreate {
    program: u32,
    interface: u32,
    attach: u32,
    flags: u32,
}

impl Redirect {
    /// Leads the frames with all of `fields` that arrive at the interface's first queue to `socket`.
    pub(super) fn attach(interface: u32, socket: RawFd, fields: &[Field]) -> Result<Self, Refused> {
        let refused = |step| move |source| Refused { step, source };
        let create = MapCreate { kind: MAP_OF_SOCKETS, key_size: 4, value_size: 4, entries: 1, flags: 0 };
        // SAFETY: MAP_CREATE reads these five words.
        let map = unsafe { bpf_fd(MAP_CREATE, &create) }.map_err(refused("make a map of sockets"))?;
        let (key, value) = (0_u32, socket);
        let update = MapUpdate {
            map: u64::from(map.as_raw_fd().cast_unsigned()),
            key: (&raw const key).expose_provenance() as u64,
            value: (&raw const value).expose_provenance() as u64,
            flags: 0,
        };
        // SAFETY: MAP_UPDATE_ELEM reads a key and a value of 4 bytes each, which outlive the call.
        unsafe { bpf(MAP_UPDATE, &update) }.map_err(refused("put the socket into the map"))?;
        let program = load(&program(map.as_raw_fd(), fields)).map_err(refused("load the XDP program"))?;
        let create = LinkCreate {
            program: program.as_raw_fd().cast_unsigned(),
            interface,
            attach: ATTACH_XDP,
            flags: GENERIC,
        };
        // SAFETY: LINK_CREATE reads these four words.
        let link = unsafe { bpf_fd(LINK_CREATE, &create) }.map_err(refused("attach the XDP program"))?;
        Ok(Self { _link: link, _program: program, _map: map })
    }
}

fn load(instructions: &[u64]) -> io::Result<OwnedFd> {
    let license = c"Dual MIT/GPL";
    let load = ProgLoad {
        kind: PROGRAM_XDP,
        count: instructions.len() as u32,
        instructions: instructions.as_ptr().expose_provenance() as u64,
        license: license.as_ptr().expose_provenance() as u64,
        log_level: 0,
        log_size: 0,
        log: 0,
        kernel: 0,
        flags: 0,
        name: *b"linerate\0\0\0\0\0\0\0\0",
        interface: 0,
        attach: ATTACH_XDP,
    };
    // SAFETY: PROG_LOAD reads `count` instructions of 8 bytes and a text that ends in 0, all of
    // which outlive the call; there is no log.
    unsafe { bpf_fd(PROG_LOAD, &load) }
}

/// Carries out a command.
///
/// # Safety
///
/// `T` must begin as the kernel's attributes of this command, and what it points to be valid.
unsafe fn bpf<T>(command: libc::c_long, attributes: &T) -> io::Result<libc::c_long> {
    // SAFETY: the pointer and the size describe `attributes`; the caller vouches for the rest.
    let answer = unsafe {
        libc::syscall(libc::SYS_bpf, command, std::ptr::from_ref(attributes), size_of::<T>() as libc::c_long)
    };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// Carries out a command that answers with a descriptor.
///
/// # Safety
///
/// As of [`bpf`].
unsafe fn bpf_fd<T>(command: libc::c_long, attributes: &T) -> io::Result<OwnedFd> {
    // SAFETY: the caller vouches for it.
    let answer = unsafe { bpf(command, attributes) }?;
    let descriptor = RawFd::try_from(answer).map_err(io::Error::other)?;
    // SAFETY: the kernel has just made it for us.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Registers: the answer, three arguments, a value, and the context.
const R0: u8 = 0;
const R1: u8 = 1;
const R2: u8 = 2;
const R3: u8 = 3;
const R4: u8 = 4;
const R5: u8 = 5;
const R6: u8 = 6;
/// `XDP_PASS`: the network stack gets the frame.
const PASS: i32 = 2;
/// `bpf_redirect_map`.
const REDIRECT_MAP: i32 = 51;

const fn instruction(code: u8, to: u8, from: u8, offset: i16, value: i32) -> u64 {
    code as u64
        | (to as u64) << 8
        | (from as u64) << 12
        | (offset.cast_unsigned() as u64) << 16
        | (value.cast_unsigned() as u64) << 32
}

/// Compares every field and leads the frame to the socket of its queue, or lets it pass.
fn program(map: RawFd, fields: &[Field]) -> Vec<u64> {
    let end = fields.iter().map(|field| field.at + field.bytes.len()).max().unwrap_or(0);
    let mut code = vec![
        instruction(0xbf, R6, R1, 0, 0), // context
        instruction(0x61, R2, R1, 0, 0), // begin of the frame
        instruction(0x61, R3, R1, 4, 0), // its end
        instruction(0xbf, R4, R2, 0, 0),
        instruction(0x07, R4, 0, 0, end as i32),
    ];
    let mut to_pass = vec![code.len()];
    code.push(instruction(0x2d, R4, R3, 0, 0)); // shorter
    for Field { at, bytes } in fields {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let wide = if cfg!(target_endian = "big") {
            u64::from_ne_bytes(wide) >> (8 * (8 - bytes.len()))
        } else {
            u64::from_ne_bytes(wide)
        };
        let load = match bytes.len() {
            2 => 0x69,
            4 => 0x61,
            _ => 0x79,
        };
        code.push(instruction(load, R5, R2, *at as i16, 0));
        code.push(instruction(0x18, R0, 0, 0, (wide as u32).cast_signed()));
        code.push(instruction(0, 0, 0, 0, ((wide >> 32) as u32).cast_signed()));
        to_pass.push(code.len());
        code.push(instruction(0x5d, R5, R0, 0, 0)); // differs
    }
    code.extend([
        instruction(0x18, R1, 1, 0, map),
        instruction(0, 0, 0, 0, 0),
        instruction(0x61, R2, R6, 16, 0),  // the queue
        instruction(0xb7, R3, 0, 0, PASS), // where the queue has no socket
        instruction(0x85, 0, 0, 0, REDIRECT_MAP),
        instruction(0x95, 0, 0, 0, 0),
        instruction(0xb7, R0, 0, 0, PASS),
        instruction(0x95, 0, 0, 0, 0),
    ]);
    let pass = code.len() - 2;
    for at in to_pass {
        code[at] |= ((pass - at - 1) as u64) << 16;
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_laid_out_as_the_standard_says() {
        // RFC 9669, section 3: opcode, registers, offset, immediate.
        let bytes = instruction(0x2d, R4, R3, 0x0102, 0x0304_0506).to_le_bytes();
        assert_eq!(bytes, [0x2d, 0x34, 0x02, 0x01, 0x06, 0x05, 0x04, 0x03]);
    }

    #[test]
    fn every_jump_leads_to_the_pass_at_the_end() {
        let fields = [Field { at: 12, bytes: vec![0x88, 0xb5] }, Field { at: 14, bytes: vec![1; 8] }];
        let code = program(3, &fields);
        let jumps = code.iter().enumerate().filter(|(_, word)| matches!(**word as u8, 0x2d | 0x5d));
        let targets: Vec<_> = jumps.map(|(at, word)| at + 1 + usize::from((word >> 16) as u16)).collect();
        assert_eq!(targets, [code.len() - 2; 3]);
        assert_eq!(code[code.len() - 2], instruction(0xb7, R0, 0, 0, PASS));
    }
}
