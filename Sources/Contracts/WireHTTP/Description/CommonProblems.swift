/// The problems that any operation can return, from the listener, the access control and the router.
struct CommonProblems {
    /// All problems, by status.
    let all: [(status: Status, kinds: [String])]

    /// Problems identical for every operation, written once and referred to.
    static let shared: [(status: Status, kinds: [String])] = [
        (.unauthorized, ["unauthorized", "signed-out"]),
        (.forbidden, ["forbidden"]),
        (.requestTimeout, ["request-timeout"]),
        (.uriTooLong, ["target-too-long"]),
        (.tooManyRequests, ["too-many-requests"]),
        (.headerTooLarge, ["header-too-large"]),
        (.internalError, ["unexpected", "unsendable-answer"]),
        (.unavailable, ["starting", "closing", "cancelled", "too-many-connections", "service-unavailable"]),
    ]

    init(of operation: Operation) {
        var malformed = ["malformed-request", "malformed-target", "invalid-query"]
        var found = Self.shared
        switch operation.body {
        case .none: malformed.append("body-not-expected")
        case .json, .collected, .streamed:
            if case .json = operation.body { malformed.append("invalid-body") }
            found.append((.contentTooLarge, ["body-too-large"]))
        }
        if !operation.body.types.isEmpty { found.append((.unsupportedMediaType, ["unsupported-media-type"])) }
        if operation.inputs.contains(where: { $0.kind == .header }) { malformed.append("malformed-field") }
        if operation.pattern.contains("{") { found.append((.notFound, ["no-such-path"])) }
        found.append((.badRequest, malformed))
        all = found.sorted { $0.status.code < $1.status.code }
    }
}
