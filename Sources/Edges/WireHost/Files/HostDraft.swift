import CProcess
import Dispatch
import Glibc
import Synchronization
import WireBase
import WireService

/// A file that is written on its own thread, so that callers need not wait for the disk.
final class HostDraft: DraftFile {
    private struct State {
        var size: Int
        /// The number of bytes accepted and not yet written.
        var backlog = 0
        var failure: FileFailure?
        var waiter: CheckedContinuation<Void, Never>?
        var witness: (@Sendable ([UInt8]) -> Void)?
    }

    private let file: Descriptor
    private let folder: String
    private let name: String
    private let queue: DispatchQueue
    private let state: Mutex<State>

    /// The largest number of bytes accepted and not yet written.
    private static let largestBacklog = 1 << 20

    var size: Int { state.withLock { $0.size } }
    let mark: FileMark

    init(_ name: String, in folder: String) throws(FileFailure) {
        var status = stat()
        file = try Self.open("\(folder)/\(name)", &status)
        mark = FileMark(status, born: unsafe corewire_birth(file.number, ""))
        (self.folder, self.name) = (folder, name)
        queue = DispatchQueue(label: "corewire.draft")
        state = Mutex(State(size: Int(status.st_size)))
    }

    private static func open(_ path: String, _ own: inout stat) throws(FileFailure) -> Descriptor {
        // The former holder may have renamed or removed the file between the open and the lock.
        for _ in 0..<100 {
            let number = unsafe Glibc.open(path, Self.opening, 0o644)
            guard number >= 0 else { throw FileFailure.system(path) }
            let descriptor = Descriptor(owning: number)
            var present = stat()
            guard unsafe fstat(number, &own) == 0 else { throw FileFailure.system(path) }
            guard own.st_mode & S_IFMT == S_IFREG else {
                throw FileFailure(.refused, "\(path.shownPath): not a regular file")
            }
            guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
                guard errno == EWOULDBLOCK else { throw FileFailure.system(path) }
                throw FileFailure(.taken, "\(path.shownPath): another process is still writing to it")
            }
            if unsafe lstat(path, &present) == 0, present.st_ino == own.st_ino, present.st_dev == own.st_dev {
                // Bytes written before this process got the lock count as well.
                guard unsafe fstat(number, &own) == 0 else { throw FileFailure.system(path) }
                return descriptor
            }
        }
        throw FileFailure(.taken, "\(path.shownPath): another process keeps replacing the file")
    }

    /// Links and pipes are refused; writes append.
    private static let opening = O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC

    // MARK: Writing

    func append(_ bytes: [UInt8]) async throws(FileFailure) {
        let (failure, mustWait) = state.withLock { state -> (FileFailure?, Bool) in
            if let failure = state.failure { return (failure, false) }
            state.size += bytes.count
            state.backlog += bytes.count
            return (nil, state.backlog > Self.largestBacklog)
        }
        if let failure { throw failure }
        queue.async { self.write(bytes) }
        if mustWait { await hasRoom() }
    }

    private func hasRoom() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.backlog <= Self.largestBacklog { return true }
                state.waiter = continuation
                return false
            }
            if isOver { continuation.resume() }
        }
    }

    private func write(_ bytes: [UInt8]) {
        let (failed, witness) = state.withLock { ($0.failure != nil, $0.witness) }
        let failure = failed ? nil : put(bytes)
        if !failed, failure == nil { witness?(bytes) }
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.backlog -= bytes.count
            if let failure { state.failure = failure }
            guard state.backlog <= Self.largestBacklog else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    private func put(_ bytes: [UInt8]) -> FileFailure? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file.number, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return .system(path) }
            rest = rest.dropFirst(max(0, count))
        }
        return nil
    }

    // MARK: Between

    func cut(to size: Int) async throws(FileFailure) {
        try await inTurn { () throws(FileFailure) in
            let length = self.size
            guard size < length else { return }
            guard ftruncate(self.file.number, off_t(size)) == 0 else { throw FileFailure.system(self.path) }
            self.state.withLock { $0.size = size }
        }
    }

    func witness(_ witness: (@Sendable ([UInt8]) -> Void)?) async throws(FileFailure) {
        try await inTurn { () throws(FileFailure) in
            if let witness { try self.read(to: witness) }
            self.state.withLock { $0.witness = witness }
        }
    }

    private func read(to witness: ([UInt8]) -> Void) throws(FileFailure) {
        var offset = 0
        while true {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, filled in
                count = unsafe pread(file.number, buffer.baseAddress, buffer.count, off_t(offset))
                filled = max(0, count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileFailure.system(path) }
            if count == 0 { return }
            witness(bytes)
            offset += count
        }
    }

    func sync() async throws(FileFailure) -> Int {
        try await inTurn { () throws(FileFailure) in
            guard fdatasync(self.file.number) == 0 else { throw self.lost() }
            return self.size
        }
    }

    // MARK: Ending

    func finish(as name: String) async throws(FileFailure) {
        try await inTurn { () throws(FileFailure) in
            guard fsync(self.file.number) == 0 else { throw self.lost() }
            try self.rename(to: name)
            try Self.keepNames(of: self.folder)
        }
    }

    private func rename(to name: String) throws(FileFailure) {
        let target = "\(folder)/\(name)"
        if unsafe corewire_rename_new(path, target) == 0 { return }
        guard errno == EINVAL || errno == ENOSYS else { throw FileFailure.system(target) }
        // File systems without this form of rename have links, which do not replace either.
        guard unsafe link(path, target) == 0 else { throw FileFailure.system(target) }
        guard unsafe unlink(path) == 0 else { throw FileFailure.system(path) }
    }

    func discard() async {
        await turn { _ = unsafe unlink(self.path) }
        await close()
    }

    func close() async {
        await turn {
            self.state.withLock {
                $0.failure = $0.failure ?? FileFailure(.other, "\(self.path.shownPath): the file is closed")
            }
            _ = flock(self.file.number, LOCK_UN)
        }
    }

    // MARK: Turns

    private var path: String { "\(folder)/\(name)" }

    /// Records that the disk has not confirmed a write, so all later writes are uncertain.
    private func lost() -> FileFailure {
        let failure = FileFailure.system(path)
        state.withLock { $0.failure = failure }
        return failure
    }

    /// Runs a body after all earlier writes; throws if writing has failed.
    private func inTurn<Result: Sendable>(
        _ body: @escaping @Sendable () throws(FileFailure) -> Result
    ) async throws(FileFailure) -> Result {
        let result: Swift.Result<Result, FileFailure> = await withCheckedContinuation { continuation in
            queue.async {
                if let failure = self.state.withLock({ $0.failure }) {
                    return continuation.resume(returning: .failure(failure))
                }
                do throws(FileFailure) {
                    continuation.resume(returning: .success(try body()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private func turn(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                body()
                continuation.resume()
            }
        }
    }

    /// Syncs a folder: without its name on the disk, a file's contents are lost in a power cut.
    static func keepNames(of folder: String) throws(FileFailure) {
        let number = unsafe Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw FileFailure.system(folder) }
        let descriptor = Descriptor(owning: number)
        // Some file systems do not support syncing folders and do not need it.
        guard fsync(descriptor.number) == 0 || errno == EINVAL else { throw FileFailure.system(folder) }
    }
}
