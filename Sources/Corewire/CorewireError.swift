import WireAuthContract
import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract
import WireRuntime
import WireService

/// The error of all calls.
///
/// ```swift
/// do {
///     try await corewire.outbox.post(request)
/// } catch where error.code == .full {
///     show(error.description, error.help)
/// }
/// ```
public struct CorewireError: Error, Sendable, CustomStringConvertible {
    /// The kind of error.
    public let code: Code
    /// What was found and what was expected, in one sentence for developers; never a secret.
    public let description: String
    /// What to do about it, for developers.
    public internal(set) var help: String?
    /// The services file value that causes the error.
    public internal(set) var setting: Corewire.Setting?
    /// Whether a retry of the unchanged call may succeed.
    public internal(set) var helpsToRetry = false
    /// How long to wait before a retry; nil where unknown.
    public internal(set) var retryAfter: Duration?
    /// The class of error at the identity server or on the way to it, such as `invalidClient` or `offline`; nil for any other.
    public internal(set) var signInFailure: String?
    /// Whether no part of a request can have reached the server.
    public internal(set) var wasNotSent = false
    /// The problems of the file with their locations, as in `corewire validate-config`.
    public internal(set) var diagnostics: String?
    /// The error of an encoder or decoder; may quote the value.
    public internal(set) var cause: (any Error)?
    var guidanceOfFile: String?

    /// The message for the user, in the words of the file where it has some.
    public var guidance: String { guidanceOfFile ?? "The request failed: \(description)." }

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

    /// Converts a failed operation.
    init(_ failure: APIFailure<some FailureKind>) {
        self.init(Code(failure.kind), failure.reason, help: failure.help, origin: failure.origin)
        // For a wrong PIN, the time of the next attempt is known, but a retry with the same PIN does not help.
        (helpsToRetry, retryAfter) = (failure.kind.helpsToRetry, failure.retryAfter)
        (signInFailure, guidanceOfFile) = (failure.kind.signInFailure, failure.guidance)
    }

    /// Does what a service does, and throws what it throws.
    static func wrapping<Kind: FailureKind, Answer>(
        _ work: () throws(APIFailure<Kind>) -> Answer
    ) throws(CorewireError) -> Answer {
        do throws(APIFailure<Kind>) { return try work() } catch { throw CorewireError(error) }
    }

    /// Converts a failed start.
    init(_ failure: StartFailure) {
        let code: Code =
            switch failure.kind {
            case .invalid: .invalidFile
            case .unreadable: .unreadableFile
            case .taken: .appIsRunning
            case .state, .away: .noState
            case .service: .serviceFailed
            case .guarded: .guarded
            case .host: .hostRefused
            }
        self.init(code, failure.reason, help: failure.help, origin: failure.origin)
        diagnostics = failure.diagnostics
    }

    /// Converts a rejected change.
    init(_ report: ChangeReport) {
        let code: Code =
            switch report.outcome {
            case .rolledBack: .serviceFailed
            case .conflict: .stopped
            default: .invalidFile
            }
        let help = report.services.compactMap(\.fault).compactMap(\.help).first
        self.init(code, report.reason ?? "the change was rejected", help: help)
        diagnostics = report.diagnosticsText
    }
}
