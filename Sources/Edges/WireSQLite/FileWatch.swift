import Dispatch
import Glibc

/// Hears what the system tells of files, without asking for it.
///
/// Sendable unchecked: Dispatch lets a source be cancelled from any thread, and nothing else is asked of it.
final class FileWatch: @unchecked Sendable {
    private let source: any DispatchSourceRead

    /// None where the system has no watches left; who would have heard looks from time to time then.
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
