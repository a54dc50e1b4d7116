import Glibc
import WireStore

/// The processes that have a folder's files open: locks on bytes of a file, released when a process ends.
///
/// One byte is locked exclusively while files are opened, created or repaired; another is shared while a store is
/// open. A process that gets the second byte exclusively is the only one. A third one is held while claimed work is
/// done: see ``WorkHold``.
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

    /// Waits until no other process is opening the files, up to a timeout.
    borrowing func beginOpening(patience: Duration) throws(StoreFailure) {
        var waited = Duration.zero
        while try !lock(F_WRLCK, Self.opening) {
            guard waited < patience else {
                throw StoreFailure(.busy, "another process has been opening the store for longer than \(patience)")
            }
            // This kind of lock has no timeout, so it is polled.
            var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
            _ = unsafe nanosleep(&pause, nil)
            waited += .milliseconds(5)
        }
    }

    borrowing func endOpening() { _ = try? lock(F_UNLCK, Self.opening) }

    /// Whether no other process has the files open; call between `beginOpening` and `endOpening`.
    borrowing func isAlone() throws(StoreFailure) -> Bool { try lock(F_WRLCK, Self.present) }

    /// Marks a store as open.
    borrowing func stay() throws(StoreFailure) {
        guard try lock(F_RDLCK, Self.present) else { throw StoreFailure(.busy, "another process repairs the store") }
    }

    /// Whether another process, or another store of this one, has the files open.
    borrowing func hasOthers() -> Bool {
        var lock = Self.lock(F_WRLCK, Self.present)
        let getOpenFileLock: Int32 = 36
        return unsafe fcntl(descriptor, getOpenFileLock, &lock) != 0 || lock.l_type != Int16(F_UNLCK)
    }

    /// Whether no process, or program that has outlived its process, does claimed work.
    borrowing func isIdle() throws(StoreFailure) -> Bool {
        guard try lock(F_WRLCK, Self.working) else { return false }
        return try lock(F_UNLCK, Self.working)
    }

    /// Marks claimed work as being done, while any process has the descriptor open.
    borrowing func work() throws(StoreFailure) { _ = try lock(F_RDLCK, Self.working) }

    private borrowing func lock(_ kind: Int32, _ byte: off_t) throws(StoreFailure) -> Bool {
        // Locks of the open file, not of the process, so that two stores in one process are separate.
        var lock = Self.lock(kind, byte)
        let setOpenFileLock: Int32 = 37
        if unsafe fcntl(descriptor, setOpenFileLock, &lock) == 0 { return true }
        guard errno == EAGAIN || errno == EACCES else { throw .system(errno, "the lock of the store") }
        return false
    }

    private static func lock(_ kind: Int32, _ byte: off_t) -> flock {
        var lock = flock()
        lock.l_type = Int16(kind)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = byte
        lock.l_len = 1
        return lock
    }
}

/// Marks a store as open for its lifetime.
final class PresenceLock: Sendable {
    private let presence: Presence

    init(_ presence: consuming Presence) { self.presence = presence }

    /// Whether others have it open too.
    var hasOthers: Bool { presence.hasOthers() }
}
