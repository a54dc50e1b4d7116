import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract
import WireRuntime
import WireService

/// Why something was not done, whatever it was.
///
/// ```swift
/// do {
///     try await corewire.outbox.post(request)
/// } catch where error.code == .full {
///     show(error.description, error.help)
/// }
/// ```
public struct CorewireError: Error, Sendable, CustomStringConvertible {
    /// The kind of reason.
    public let code: Code
    /// What was found and what was expected, in one sentence for developers; never a secret.
    public let description: String
    /// What to do about it, for developers.
    public internal(set) var help: String?
    /// The setting of the services file that it comes from.
    public internal(set) var setting: Corewire.Setting?
    /// Whether trying again, with nothing changed, may help.
    public internal(set) var helpsToRetry = false
    /// How long to wait before trying again; nil where nothing is known.
    public internal(set) var retryAfter: Duration?
    /// The class of error at the identity server or on the way to it, such as `invalidClient` or `offline`; nil for any other.
    public internal(set) var signInFailure: String?
    /// Whether nothing of a request can have reached the server.
    public internal(set) var wasNotSent = false
    /// The problems of the file with their places, as `corewire validate-config` shows them.
    public internal(set) var diagnostics: String?
    /// What a coder said of a value that is not as expected; it may quote the value.
    public internal(set) var cause: (any Error)?
    var guidanceOfFile: String?

    /// What a person is told, in the words of the file where it has some.
    public var guidance: String { guidanceOfFile ?? "This did not work: \(description)." }

    init(
        _ code: Code,
        _ description: String,
        help: String? = nil,
        origin: ValueOrigin? = nil,
        cause: (any Error)? = nil
    ) {
        (self.code, self.description, self.help, self.cause) = (code, description, help, cause)
        setting = origin?.setting
    }
}

extension CorewireError {
    static let stopped = CorewireError(.stopped, "the services have been stopped")

    /// A call that was not done.
    init(_ failure: APIFailure<some FailureKind>) {
        self.init(Code(failure.kind), failure.reason, help: failure.help, origin: failure.origin)
        // A wrong PIN says when the next attempt is allowed; the same PIN does not help then either.
        (helpsToRetry, retryAfter) = (failure.kind.helpsToRetry, failure.retryAfter)
        (signInFailure, guidanceOfFile) = (failure.kind.signInFailure, failure.guidance)
    }

    /// The runner did not start.
    init(_ failure: StartFailure) {
        let code: Code =
            switch failure.kind {
            case .invalid: .invalidFile
            case .unreadable: .unreadableFile
            case .taken: .appIsRunning
            case .state: .noState
            case .service: .serviceFailed
            case .guarded: .guarded
            case .host: .hostRefused
            }
        self.init(code, failure.reason, help: failure.help)
        diagnostics = failure.diagnostics
    }

    /// A change that was not made.
    init(_ report: ChangeReport) {
        let code: Code =
            switch report.outcome {
            case .rolledBack: .serviceFailed
            case .conflict: .stopped
            default: .invalidFile
            }
        let help = report.services.compactMap(\.fault).compactMap(\.help).first
        self.init(code, report.reason ?? "it was refused", help: help)
        diagnostics = report.diagnosticsText
    }
}
