import Glibc
import Synchronization

/// Removes the draft of a file when a signal ends the program.
package enum DraftRemoval {
    /// Removes a file at SIGINT, SIGTERM or SIGHUP, which end the program nevertheless; ignored signals stay ignored.
    package static func atSignals(_ path: String) {
        // The handler may need it until the end of the program.
        unsafe draft.store(UInt(bitPattern: strdup(path)), ordering: .releasing)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            var action = sigaction()
            var former = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                let path = unsafe UnsafePointer<CChar>(bitPattern: draft.load(ordering: .acquiring))
                if let path = unsafe path { _ = unsafe unlink(path) }
                // Comes after the handler, and finds the one of the system.
                _ = raise(number)
            }
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            _ = unsafe sigaction(number, &action, &former)
            guard former.isIgnored else { continue }
            _ = unsafe sigaction(number, &former, nil)
        }
    }
}

extension sigaction {
    fileprivate var isIgnored: Bool {
        unsafe unsafeBitCast(__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// The address of the path.
private let draft = Atomic<UInt>(0)
