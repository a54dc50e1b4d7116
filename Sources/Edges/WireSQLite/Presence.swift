import Glibc
import WireStore

/// Who has a folder's files open: locks on bytes of a file, gone with the processes that hold them.
///
/// One byte is held while files are opened, made or mended, by one process at a time; another one for as long as a
/// store is open, together with all others. Who gets that byte alone knows that nobody else is there. A third one is held
/// by who does what was claimed: see ``WorkHold``.
@safe struct Presence: ~Copyable {
    let descriptor: Int32

    private static let opening: off_t = 0
    private static let present: off_t = 1
    private static let working: off_t = 2

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    static func open(_ path: String) throws(StoreFailure) -> Presence {
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(errno, "'\(path)' cannot be opened") }
        return Presence(descriptor)
    }

    deinit { _ = close(descriptor) }

    /// Waits until no other process is opening the files, for as long as it has patience.
    borrowing func beginOpening(patience: Duration) throws(StoreFailure) {
        var waited = Duration.zero
        while try !lock(F_WRLCK, Self.opening) {
            guard waited < patience else {
                throw StoreFailure(.busy, "another process has been opening the store for longer than \(patience)")
            }
            // There is no lock of this kind that waits no longer than it is told to.
            var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
            _ = unsafe nanosleep(&pause, nil)
            waited += .milliseconds(5)
        }
    }

    borrowing func endOpening() { _ = try? lock(F_UNLCK, Self.opening) }

    /// Whether nobody else has the files open; must be asked between `beginOpening` and `endOpening`.
    borrowing func isAlone() throws(StoreFailure) -> Bool { try lock(F_WRLCK, Self.present) }

    /// Says that a store is open here.
    borrowing func stay() throws(StoreFailure) {
        guard try lock(F_RDLCK, Self.present) else { throw StoreFailure(.busy, "another process mends the store") }
    }

    /// Whether neither a process nor a program that outlived one does what was claimed.
    borrowing func isNobodyWorking() throws(StoreFailure) -> Bool {
        guard try lock(F_WRLCK, Self.working) else { return false }
        return try lock(F_UNLCK, Self.working)
    }

    /// Says that what was claimed is being done, for as long as anybody has this open.
    borrowing func work() throws(StoreFailure) { _ = try lock(F_RDLCK, Self.working) }

    private borrowing func lock(_ kind: Int32, _ byte: off_t) throws(StoreFailure) -> Bool {
        // Locks of the open file, not of the process: two stores in one process are two.
        var lock = flock()
        lock.l_type = Int16(kind)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = byte
        lock.l_len = 1
        let setOpenFileLock: Int32 = 37
        if unsafe fcntl(descriptor, setOpenFileLock, &lock) == 0 { return true }
        guard errno == EAGAIN || errno == EACCES else { throw .system(errno, "the lock of the store") }
        return false
    }
}

/// Says that a store is open, for as long as it is kept.
final class PresenceKept: Sendable {
    private let presence: Presence

    init(_ presence: consuming Presence) { self.presence = presence }
}
