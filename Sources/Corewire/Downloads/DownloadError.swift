import WireBase
import WireConfig
import WireRuntime
import WireService

extension Corewire {
    /// Why a file is not fetched.
    public struct DownloadError: Error, Sendable, CustomStringConvertible {
        /// The kinds of reasons; more may be added.
        public struct Code: Sendable, Hashable {
            private enum Kind {
                case undeclared, stopped, forbidden, invalid, tooMany, unavailable, unknown, failed, cancelled
            }
            private let kind: Kind

            /// The file does not say where downloads go, or nothing fetches them now.
            public static let undeclared = Code(kind: .undeclared)
            /// The services have been stopped, or are being.
            public static let stopped = Code(kind: .stopped)
            /// Nothing may come from that host.
            public static let forbidden = Code(kind: .forbidden)
            /// It could never be fetched: an address, a name, a sum that is none.
            public static let invalid = Code(kind: .invalid)
            /// As many are wanted as may be.
            public static let tooMany = Code(kind: .tooMany)
            /// The store cannot be used now; later may do.
            public static let unavailable = Code(kind: .unavailable)
            /// Nothing is known of that download.
            public static let unknown = Code(kind: .unknown)
            /// It was tried, and can never be had.
            public static let failed = Code(kind: .failed)
            /// Somebody has given it up, or the task was cancelled.
            public static let cancelled = Code(kind: .cancelled)
        }

        /// The kind of reason.
        public let code: Code
        /// What was found and what was expected, in one sentence.
        public let description: String
        /// What to do about it.
        public let help: String?
        /// The setting of the services file that wants it so.
        public let setting: Corewire.Setting?

        init(
            _ code: Code,
            _ description: String,
            help: String? = nil,
            setting: Corewire.Setting? = nil
        ) {
            (self.code, self.description, self.help, self.setting) = (code, description, help, setting)
        }
    }
}

extension Corewire.DownloadError {
    static let stopped = Corewire.DownloadError(.stopped, "the services have been stopped")

    init(_ refusal: DownloadRefusal) {
        let code: Code =
            switch refusal.kind {
            case .undeclared: .undeclared
            case .forbidden: .forbidden
            case .invalid: .invalid
            case .full: .tooMany
            case .notWritten: .unavailable
            case .ended: .stopped
            }
        let setting = refusal.origin.map(\.setting)
        self.init(code, refusal.reason, help: refusal.help, setting: setting)
    }

    init(withoutDownload id: String, _ corewire: Corewire) {
        if corewire.runner.isStopping {
            self = .stopped
        } else {
            self.init(.unknown, "nothing is known of \(id.quoted)")
        }
    }

    /// Nobody fetches files.
    init(withoutServiceIn status: RunnerStatus) {
        guard let service = status.services.first(where: { $0.name == "background" }), service.state.name != "ready"
        else {
            self.init(
                .undeclared,
                "\(status.file.quoted) does not say where downloads go",
                help: "set 'directory' of 'background.downloads'"
            )
            return
        }
        let reason = service.state.reason.map { ": \($0)" } ?? ""
        self.init(.undeclared, "the service 'background' is \(service.state.name)\(reason)")
    }
}
