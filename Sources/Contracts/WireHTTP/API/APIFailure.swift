package import WireBase
package import WireConfig

/// The kinds of failures of an area, each declared once; its raw value is the last part of the problem's `type`.
package protocol FailureKind: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    var facts: FailureFacts { get }
    /// The last part of the problem's `type`: the raw value, unless kinds with statuses of their own share one.
    var type: String { get }
    /// The kind in the code of errors that Swift programs get: the type, unless they know it by another word.
    var code: String { get }
    /// Whether trying again, with nothing changed, may help.
    var helpsToRetry: Bool { get }
    /// The class of error at an identity server or on the way to it; nil for any other.
    var signInFailure: String? { get }
}

extension FailureKind {
    package var type: String { rawValue }
    package var code: String { type }
    package var helpsToRetry: Bool { facts.retryAfter != nil }
    package var signInFailure: String? { nil }
}

/// What holds for every failure of a kind.
package struct FailureFacts: Sendable {
    package let status: Status
    /// The kind in words.
    package let title: String
    /// When it happens, for the description of the API.
    package let help: String
    /// After how many seconds it may help to try again; nil where that does not help.
    package let retryAfter: Int?
    /// How a command ends that fails so.
    package let exit: ExitStatus
    /// What `Retry-After` says, for the description of the API; nil where that does not tell of the field.
    let retryHelp: String?
    /// Whether the problem says what a person is told in place of what was found and expected.
    let tellsGuidance: Bool
    /// The schema of the problem, where that carries more than any.
    let carried: JSONSchema?

    package init(
        _ status: Status,
        _ title: String,
        _ help: String,
        retryAfter: Int? = nil,
        retryHelp: String? = nil,
        exit: ExitStatus? = nil,
        tellsGuidance: Bool = false,
        carrying carried: JSONSchema? = nil
    ) {
        (self.status, self.title, self.help, self.retryAfter) = (status, title, help, retryAfter)
        (self.retryHelp, self.tellsGuidance, self.carried) = (retryHelp, tellsGuidance, carried)
        self.exit = exit ?? (retryAfter == nil ? Self.ending(with: status) : .temporary)
    }

    /// How a command ends that the status alone speaks of.
    package static func ending(with status: Status) -> ExitStatus {
        switch status {
        case .unauthorized, .forbidden, .locked: .noPermission
        case .tooManyRequests, .unavailable: .temporary
        default: .problemsFound
        }
    }
}

/// Why an operation was not done.
package struct APIFailure<Kind: FailureKind>: Error, Sendable {
    package let kind: Kind
    /// What was found and what was expected; never a secret.
    package let reason: String
    /// What to do about it.
    package var help: String?
    /// The value of the services file that wants it so.
    package let origin: ValueOrigin?
    /// What a person is told, in the words of the services file where that has some.
    package var guidance: String?
    /// What the problem says besides: the members of an object.
    package let carried: JSONValue?
    /// After how long it may help to try again; as with all of its kind, unless more is known.
    package var retryAfter: Duration?

    package init(
        _ kind: Kind,
        _ reason: String,
        help: String? = nil,
        origin: ValueOrigin? = nil,
        carrying carried: JSONValue? = nil
    ) {
        (self.kind, self.reason, self.help, self.origin, self.carried) = (kind, reason, help, origin, carried)
        retryAfter = kind.facts.retryAfter.map { .seconds($0) }
    }
}

/// The kinds of failures of an operation that fails only as any operation can: there are none.
package enum NoFailureKind: FailureKind {
    package init?(rawValue: String) { nil }
    package var rawValue: String { switch self {} }
    package var facts: FailureFacts { switch self {} }
}

extension FailureKind {
    /// As an operation describes it.
    package var described: Operation.Answer {
        let answer = Operation.Answer.problem(facts.status, type, facts.help, carrying: facts.carried)
        return facts.retryHelp.map { answer.with("Retry-After", $0) } ?? answer
    }
}

/// An error that a route may throw, which is answered as a problem.
protocol ProblemError: Error {
    var problem: Problem { get }
}

extension APIFailure: ProblemError {
    var problem: Problem { Problem(self) }
}

extension Problem {
    package init<Kind: FailureKind>(_ failure: APIFailure<Kind>) {
        let facts = failure.kind.facts
        let found = failure.help.map { "\(failure.reason); \($0)" } ?? failure.reason
        let guidance = facts.tellsGuidance ? failure.guidance : nil
        self.init(facts.status, failure.kind.type, facts.title, detail: guidance ?? found)
        if let pause = failure.retryAfter { fields["Retry-After"] = "\(max(1, pause.wholeSeconds))" }
        // A caller who is known and has no session (RFC 9110, section 15.5.2).
        if facts.status == .unauthorized { fields["WWW-Authenticate"] = "Bearer realm=\"auth\"" }
        origin = failure.origin
        carried = failure.carried
    }
}

extension Duration {
    /// In seconds, rounded up, as `Retry-After` takes it.
    package var wholeSeconds: Int { Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0) }
}
