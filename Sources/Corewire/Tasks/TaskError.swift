import WireBackground
import WireBase
import WireConfig
import WireService

extension Corewire {
    /// Why something is not done with tasks.
    public struct TaskError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            private enum Kind { case noTasks, stopped, undeclared, invalid, unavailable }
            private let kind: Kind

            /// The file has no section `background`, or it does not run.
            public static let noTasks = Code(kind: .noTasks)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// The file declares no such task, or not for Swift code.
            public static let undeclared = Code(kind: .undeclared)
            /// Nothing is put off for so long.
            public static let invalid = Code(kind: .invalid)
            /// The store cannot be used now; later may do.
            public static let unavailable = Code(kind: .unavailable)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence.
        public let description: String
        /// What to do about it.
        public let help: String?

        init(_ code: Code, _ description: String, help: String? = nil) {
            (self.code, self.description, self.help) = (code, description, help)
        }
    }
}

extension Corewire.TaskError {
    static let stopped = Corewire.TaskError(.stopped, "the services have been stopped")

    /// Nobody does tasks.
    init(withoutServiceIn status: RunnerStatus) {
        let absence = Absence(of: BackgroundSection.name, in: status, help: "write the task under 'background.tasks'")
        self.init(.noTasks, absence.description, help: absence.help)
    }

    init(_ refusal: TaskRefusal) {
        let code: Code =
            switch refusal.kind {
            case .undeclared: .undeclared
            case .badDelay: .invalid
            case .notWritten: .unavailable
            case .ended: .stopped
            }
        self.init(code, refusal.reason, help: refusal.help)
    }
}
