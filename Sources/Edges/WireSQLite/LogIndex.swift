import CSQLite

/// A view of what every commit of every process changes before it is confirmed: the head of the index of the log.
///
/// It is SQLite's own measure of whether anything has changed, so a process that is killed at whatever moment leaves it as
/// right as SQLite needs it to be, and nothing has to be mended. Valid for as long as the connection it comes from is open.
///
/// Sendable unchecked: other processes write there at any time, so it is read with atomic loads alone, from any thread.
@safe struct LogIndex: ~Copyable, @unchecked Sendable {
    private let start: UnsafeRawPointer

    init?(_ start: UnsafeRawPointer?) {
        guard let start = unsafe start else { return nil }
        unsafe self.start = start
    }

    /// What was committed last; nil while somebody commits, and where one was killed who did.
    var head: Head? {
        var head = csqlite_log_head()
        return unsafe csqlite_read_log_head(start, &head) == 0 ? nil : Head(head)
    }

    /// Tells one commit from every other: its number, its place in the log, and the checksum of the log up to it.
    struct Head: Equatable, Sendable {
        private let first, second, third: UInt64
        private let fourth, fifth, sixth: UInt64

        fileprivate init(_ head: csqlite_log_head) {
            (first, second, third) = (head.first, head.second, head.third)
            (fourth, fifth, sixth) = (head.fourth, head.fifth, head.sixth)
        }
    }
}
