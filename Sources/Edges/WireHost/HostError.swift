import Glibc
import WireBase

/// An error of the operating system, or of the setup of the process.
package struct HostError: Error, Equatable {
    /// The kind of the error.
    package struct Code: Sendable, Equatable {
        private enum Kind: Sendable {
            case folder, lock, lockHeld, socket, inheritance, signals, account, randomness, memory, process
        }
        private let kind: Kind

        package static let folder = Code(kind: .folder)
        package static let lock = Code(kind: .lock)
        /// Another process holds the lock; a later attempt may succeed.
        package static let lockHeld = Code(kind: .lockHeld)
        package static let socket = Code(kind: .socket)
        package static let inheritance = Code(kind: .inheritance)
        package static let signals = Code(kind: .signals)
        package static let account = Code(kind: .account)
        package static let randomness = Code(kind: .randomness)
        package static let memory = Code(kind: .memory)
        /// A resource that every process of this program needs.
        package static let process = Code(kind: .process)
    }

    package let code: Code
    /// The subject of the error: a path, a variable, an account.
    package let subject: String
    package let reason: String

    init(_ code: Code, _ subject: String, _ reason: String) {
        self.code = code
        self.subject = subject
        self.reason = reason
    }

    /// Returns an error with the system's text for the last call's error.
    static func system(_ code: Code, _ subject: String, _ number: Int32 = errno) -> Self {
        Self(code, subject, SystemWords.text(of: number))
    }
}

extension HostError: CustomStringConvertible {
    /// The error as in a message: `'/run/corewire': permission denied`.
    ///
    /// Paths are not shortened at their end, which identifies them.
    package var description: String { "'\(subject.shown(upTo: 1_024))': \(reason)" }
}

/// The system's texts for its error numbers, as messages use them.
enum SystemWords {
    static func text(of number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        _ = unsafe strerror_r(number, &buffer, buffer.count)
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
