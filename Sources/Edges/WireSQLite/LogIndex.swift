import CSQLite
import WireStore

/// A view of the header of the log's index, which every commit of every process changes before its confirmation.
///
/// SQLite itself relies on this header to detect changes, so it is correct after a process was killed at any time.
/// Valid while the connection of its origin is open.
///
/// Sendable unchecked: other processes write to it at any time, so it is read with atomic loads only, from any
/// thread.
@safe struct LogIndex: ~Copyable, @unchecked Sendable {
    private let start: UnsafeRawPointer

    init?(_ start: UnsafeRawPointer?) {
        guard let start = unsafe start else { return nil }
        unsafe self.start = start
    }

    /// The last commit; nil during a commit, and after a process was killed during one.
    var head: Head? {
        var head = csqlite_log_head()
        return unsafe csqlite_read_log_head(start, &head) == 0 ? nil : Head(head)
    }

    /// Identifies a commit: its number, its position in the log, and the log's checksum up to it.
    struct Head: Equatable, Sendable {
        private let first, second, third: UInt64
        private let fourth, fifth, sixth: UInt64

        fileprivate init(_ head: csqlite_log_head) {
            (first, second, third) = (head.first, head.second, head.third)
            (fourth, fifth, sixth) = (head.fourth, head.fifth, head.sixth)
        }

        var glance: RecordGlance { RecordGlance(first, second, third, fourth, fifth, sixth) }
    }

    /// The length of the log, and how much of it is checkpointed; nil during a commit.
    var extent: Extent? {
        var extent = csqlite_log_extent()
        return unsafe csqlite_read_log_extent(start, &extent) == 0 ? nil : Extent(extent)
    }

    struct Extent: Equatable, Sendable {
        private let frames, backfilled, attempted: UInt32
        private let salt: UInt64
        let pageSize: Int

        fileprivate init(_ extent: csqlite_log_extent) {
            (frames, backfilled, attempted) = (extent.frames, extent.backfilled, extent.attempted)
            salt = extent.salt
            // 64 KiB does not fit into two bytes and is stored as 1.
            pageSize = extent.page_size == 1 ? 65_536 : Int(extent.page_size)
        }

        /// The log has a header of 32 bytes, and one of 24 bytes before each page (sqlite.org/fileformat2.html,
        /// section 4.1).
        var logSize: Int { frames == 0 ? 0 : 32 + Int(frames) * (24 + pageSize) }

        var isCheckpointing: Bool { attempted != backfilled }

        func isSameLog(as other: Self) -> Bool { salt == other.salt && frames >= other.frames }

        func isSameCheckpoint(as other: Self) -> Bool { salt == other.salt && attempted == other.attempted }

        /// A log restarted by a commit has no checkpointed pages.
        func afterCommit(_ after: Self) -> Self { salt == after.salt ? self : after.begun }

        private var begun: Self {
            var extent = csqlite_log_extent()
            (extent.salt, extent.page_size) = (salt, pageSize == 65_536 ? 1 : UInt16(pageSize))
            return Self(extent)
        }
    }
}
