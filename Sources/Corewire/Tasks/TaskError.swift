import WireBackground
import WireService

extension Corewire {
    /// Why something is not done with tasks.
    public struct TaskError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            let kind: String

            /// The file has no section `background`, or it does not run.
            public static let noTasks = absent
            /// The services have been stopped, or are being.
            public static let stopped = ending
            /// The file declares no such task, or not for Swift code.
            public static let undeclared = Code(.noSuchTask)
            /// Nothing is put off for so long.
            public static let invalid = Code(.badDelay)
            /// The store cannot be used now; later may do.
            public static let unavailable = Code(.storeUnavailable)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence.
        public let description: String
        /// What to do about it.
        public let help: String?
        /// The setting of the services file that wants it so, and its place: `app.yaml:12:8`.
        public let setting: (path: String, place: String)?
    }
}

extension Corewire.TaskError.Code: CallErrorCode {
    static let badInput = invalid

    init(_ kind: TaskFailureKind) { self.init(kind: kind.rawValue) }
}

extension Corewire.TaskError: CallError {
    static let section = (name: BackgroundSection.name, help: "write the task under 'background.tasks'")

    init(_ code: Code, _ description: String, help: String?, setting: (path: String, place: String)?) {
        (self.code, self.description, self.help, self.setting) = (code, description, help, setting)
    }
}
