//! Which journal SQLite may use on a file system.

/// How SQLite keeps a transaction whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Journal {
    /// A write-ahead log: readers and a writer do not wait for each other. Its index is shared memory,
    /// so that all must be on one host.
    WriteAhead,
    /// A rollback journal that is deleted after each transaction: works where files can be locked.
    Delete,
}

impl Journal {
    /// As the pragma has it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::WriteAhead => "wal",
            Self::Delete => "delete",
        }
    }
}

/// File systems that other hosts may write to: `f_type` of statfs(2), and of the vendors' headers for
/// Lustre, Spectrum Scale and BeeGFS. FUSE may be sshfs.
const SHARED: [(i64, &str); 14] = [
    (0x6969, "NFS"),
    (0x517B, "SMB"),
    (0xFE53_4D42, "SMB2"),
    (0xFF53_4D42, "CIFS"),
    (0x5346_414F, "AFS"),
    (0x6B41_4653, "kAFS"),
    (0x7375_7245, "Coda"),
    (0x00C3_6400, "Ceph"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "FUSE"),
    (0x0BD0_0BD0, "Lustre"),
    (0x4750_4653, "Spectrum Scale"),
    (0x1983_0326, "BeeGFS"),
    (0x0116_1970, "GFS2"),
];

/// The journal for a file system whose statfs(2) gives `f_type`. SQLite's documentation rules out the
/// write-ahead log on network file systems (sqlite.org/wal.html).
pub(crate) fn journal_on(f_type: i64) -> Journal {
    // The kernel's field is 32 bits wide on some processors and sign-extended there.
    let f_type = f_type & 0xFFFF_FFFF;
    match SHARED.iter().any(|(shared, _)| *shared == f_type) {
        true => Journal::Delete,
        false => Journal::WriteAhead,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_write_ahead_log_where_other_hosts_write() {
        assert_eq!(journal_on(0x6969), Journal::Delete, "NFS");
        assert_eq!(journal_on(0xFF53_4D42), Journal::Delete, "CIFS");
        assert_eq!(journal_on(i64::from(0xFF53_4D42_u32 as i32)), Journal::Delete, "CIFS, sign-extended");
        assert_eq!(journal_on(0x0BD0_0BD0), Journal::Delete, "Lustre");
        assert_eq!(journal_on(0xEF53), Journal::WriteAhead, "ext4");
        assert_eq!(journal_on(0x5846_5342), Journal::WriteAhead, "XFS");
        assert_eq!(journal_on(0x0102_1994), Journal::WriteAhead, "tmpfs");
        assert_eq!(journal_on(0x794C_7630), Journal::WriteAhead, "overlayfs");
    }
}
