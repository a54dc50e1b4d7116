package import WireBase
package import WireConfig

/// The kinds of failures in an area; the raw value is the last part of the problem's `type`.
package protocol FailureKind: RawRepresentable<String>, CaseIterable, Hashable, Sendable {
    var facts: FailureFacts { get }
    /// The last part of the problem's `type`: the raw value, unless several kinds with different statuses share one.
    var type: String { get }
    /// The kind in the error code for Swift programs: the type, unless Swift programs use another name.
    var code: String { get }
    /// Whether a retry of the unchanged request may succeed.
    var helpsToRetry: Bool { get }
    /// The class of an error at an identity server or on the way to it; nil for any other.
    var signInFailure: String? { get }
}

extension FailureKind {
    package var type: String { rawValue }
    package var code: String { type }
    package var helpsToRetry: Bool { facts.retryAfter != nil }
    package var signInFailure: String? { nil }
}

/// The properties shared by all failures of a kind.
package struct FailureFacts: Sendable {
    package let status: Status
    /// The title of the problem.
    package let title: String
    /// When the failure happens, for the API description.
    package let help: String
    /// The number of seconds after which a retry may succeed; nil where a retry does not help.
    package let retryAfter: Int?
    /// The exit status of a command that fails this way.
    package let exit: ExitStatus
    /// The description of the `Retry-After` field; nil where it is not documented.
    let retryHelp: String?
    /// Whether the problem shows the guidance for the user instead of the technical reason.
    let tellsGuidance: Bool
    /// The schema of the problem's extension members, if any.
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

    /// The default exit status of a command for an HTTP status.
    package static func ending(with status: Status) -> ExitStatus {
        switch status {
        case .unauthorized, .forbidden, .locked: .noPermission
        case .tooManyRequests, .unavailable: .temporary
        default: .problemsFound
        }
    }
}

/// A failed operation.
package struct APIFailure<Kind: FailureKind>: Error, Sendable {
    package let kind: Kind
    /// What was found and what was expected; never a secret.
    package let reason: String
    /// What to do about the failure.
    package var help: String?
    /// The services file value that causes the failure.
    package let origin: ValueOrigin?
    /// The message for the user, in the words of the services file where it has some.
    package var guidance: String?
    /// An object with extension members of the problem.
    package let carried: JSONValue?
    /// How long to wait before a retry; the default of the kind, unless a better value is known.
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

/// The failure kinds of an operation without failures of its own.
package enum NoFailureKind: FailureKind {
    package init?(rawValue: String) { nil }
    package var rawValue: String { switch self {} }
    package var facts: FailureFacts { switch self {} }
}

extension FailureKind {
    /// The failure as an operation describes it.
    package var described: Operation.Answer {
        let answer = Operation.Answer.problem(facts.status, type, facts.help, carrying: facts.carried)
        return facts.retryHelp.map { answer.with("Retry-After", $0) } ?? answer
    }
}

/// An error of a route that becomes a problem response.
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
        self.init(
            facts.status,
            failure.kind.type,
            facts.title,
            detail: (guidance ?? found).withoutSentence(facts.title)
        )
        if let pause = failure.retryAfter { fields["Retry-After"] = "\(max(1, pause.wholeSeconds))" }
        // 401 responses need a challenge (RFC 9110, section 15.5.2).
        if facts.status == .unauthorized { fields["WWW-Authenticate"] = "Bearer realm=\"auth\"" }
        origin = failure.origin
        carried = failure.carried
    }
}

extension String {
    /// Without a first sentence that says the same as a title, unless it is the only one.
    fileprivate func withoutSentence(_ title: String) -> String {
        let sentence = "\(title.prefix(1).uppercased())\(title.dropFirst()). "
        return hasPrefix(sentence) ? String(dropFirst(sentence.count)) : self
    }
}

extension Duration {
    /// Whole seconds, rounded up, for `Retry-After`.
    package var wholeSeconds: Int { Int(components.seconds) + (components.attoseconds > 0 ? 1 : 0) }
}
