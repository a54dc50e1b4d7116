import WireService
import WireSync

extension Corewire {
    /// Why an operation on synchronised data fails.
    public struct SyncError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            let kind: String

            /// The file has no section `sync`, or it does not run.
            public static let noSync = absent
            /// The services have been stopped, or are being.
            public static let stopped = ending
            /// The request itself cannot be understood.
            public static let invalid = Code(.invalid)
            /// No file declares the operation.
            public static let undeclared = Code(.unknownOperation)
            /// The variables do not fit the schema.
            public static let invalidVariables = Code(.invalidDocument)
            /// Only the cache was to be asked, and it has no answer.
            public static let notStored = Code(.notStored)
            /// There is no network.
            public static let offline = Code(.offline)
            /// The server cannot be reached.
            public static let unreachable = Code(.unreachable)
            /// No user is signed in.
            public static let signedOut = Code(.signedOut)
            /// The server refused the request.
            public static let refused = Code(.refused)
            /// The server failed.
            public static let serverFailed = Code(.serverFailed)
            /// The answer is no GraphQL response, or not of the type that was expected.
            public static let malformed = Code(.malformed)
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

extension Corewire.SyncError.Code: CallErrorCode {
    static let badInput = invalid

    init(_ kind: SyncFailureKind) { self.init(kind: kind.rawValue) }
}

extension Corewire.SyncError: CallError {
    static let section = (name: SyncSection.name, help: "write a section 'sync' with the address of the server")

    init(_ code: Code, _ description: String, help: String?, setting: (path: String, place: String)?) {
        (self.code, self.description, self.help, self.setting) = (code, description, help, setting)
    }
}
