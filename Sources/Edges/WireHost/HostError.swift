import Glibc
import WireBase

/// Why the operating system, or who set the process up, did not let something happen.
package struct HostError: Error, Equatable {
    /// What kind of thing failed.
    package struct Code: Sendable, Equatable {
        private enum Kind: Sendable {
            case folder, lock, lockHeld, socket, inheritance, signals, account, randomness, memory, process
        }
        private let kind: Kind

        package static let folder = Code(kind: .folder)
        package static let lock = Code(kind: .lock)
        /// Another process holds the lock; to try again later may help.
        package static let lockHeld = Code(kind: .lockHeld)
        package static let socket = Code(kind: .socket)
        package static let inheritance = Code(kind: .inheritance)
        package static let signals = Code(kind: .signals)
        package static let account = Code(kind: .account)
        package static let randomness = Code(kind: .randomness)
        package static let memory = Code(kind: .memory)
        /// What any process of this program needs.
        package static let process = Code(kind: .process)
    }

    package let code: Code
    /// What failed: a path, a variable, an account.
    package let subject: String
    package let reason: String

    init(_ code: Code, _ subject: String, _ reason: String) {
        self.code = code
        self.subject = subject
        self.reason = reason
    }

    /// An error with the system's own words for what went wrong in the last call.
    static func system(_ code: Code, _ subject: String, _ number: Int32 = errno) -> Self {
        Self(code, subject, SystemWords.text(of: number))
    }
}

extension HostError: CustomStringConvertible {
    /// The error as a message says it: `'/run/corewire': permission denied`.
    ///
    /// A path is told whole: its end is what somebody looks for.
    package var description: String { "'\(subject.shown(upTo: 1_024))': \(reason)" }
}

/// The system's words for its error numbers, as messages write them.
enum SystemWords {
    static func text(of number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        _ = unsafe strerror_r(number, &buffer, buffer.count)
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
