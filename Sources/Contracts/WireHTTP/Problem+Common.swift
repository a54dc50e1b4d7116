package import WireBase

/// The problems that any route can return.
extension Problem {
    static func noSuchPath(_ target: Target, nearest: String?) -> Problem {
        let path = target.path
        let hint = nearest.map { ", did you mean \($0.quoted)?" } ?? ""
        return Problem(
            .notFound,
            "no-such-path",
            "no such path",
            detail: "found \(path.quoted)\(hint)"
        )
    }

    static func methodNotAllowed(_ method: Method, _ allowed: [Method]) -> Problem {
        var names = allowed.map(\.name)
        if allowed.contains(.get), !allowed.contains(.head) { names.append("HEAD") }
        names.sort()
        return Problem(
            .methodNotAllowed,
            "method-not-allowed",
            "method not allowed at this path",
            detail: "found \(method.name.quoted), expected \(names.listed())",
            fields: ["Allow": names.joined(separator: ", ")]
        )
    }

    static func unsupportedMediaType(_ given: String?, expected: [String]) -> Problem {
        Problem(
            .unsupportedMediaType,
            "unsupported-media-type",
            "unsupported media type of the body",
            detail: "found \(given.map(\.quoted) ?? "no 'Content-Type'"), expected \(expected.listed())",
            fields: ["Accept": expected.joined(separator: ", ")]
        )
    }

    static let bodyNotExpected = Problem(
        .badRequest,
        "body-not-expected",
        "unexpected body",
        detail: "found a body, expected none"
    )

    static func unknownQuery(_ name: String, expected: [String]) -> Problem {
        let nearest = Nearest.name(to: name, among: expected).map { ", did you mean \($0.quoted)?" } ?? ""
        return Problem(
            .badRequest,
            "invalid-query",
            "invalid query",
            detail: "found \(name.quoted), expected \(expected.isEmpty ? "none" : expected.listed())\(nearest)"
        )
    }

    package static func bodyTooLarge(_ limit: ByteCount) -> Problem {
        Problem(
            .contentTooLarge,
            "body-too-large",
            "the body is too large",
            detail: "expected \(limit) at most"
        )
    }

    static let cancelled = Problem(
        .unavailable,
        "cancelled",
        "the request was cancelled",
        detail: "send the request again",
        fields: ["Retry-After": "1"]
    )

    /// An unexpected error: details go to the log, not to the caller.
    static let unexpected = Problem(
        .internalError,
        "unexpected",
        "internal error",
        detail: "see the log of the runner"
    )
}
