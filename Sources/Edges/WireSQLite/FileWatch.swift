import Dispatch
import Glibc

/// Watches files by notifications of the system.
///
/// Sendable unchecked: the only use is cancelling the source, which Dispatch allows from any thread.
final class FileWatch: @unchecked Sendable {
    private let source: any DispatchSourceRead

    /// Watches files; nil where the system has no watches left, in which case the caller must poll.
    init?(_ files: [(path: String, events: Int)], on queue: DispatchQueue, heard: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        for file in files {
            guard unsafe inotify_add_watch(descriptor, file.path, UInt32(file.events)) >= 0 else {
                _ = close(descriptor)
                return nil
            }
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            var notices = [UInt8](repeating: 0, count: 4_096)
            while unsafe read(descriptor, &notices, notices.count) > 0 {}
            heard()
        }
        source.setCancelHandler { _ = close(descriptor) }
        source.resume()
    }

    func end() { source.cancel() }
}
