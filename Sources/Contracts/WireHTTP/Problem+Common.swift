package import WireBase

/// The problems that any route can have.
extension Problem {
    static func noSuchPath(_ target: Target, nearest: String?) -> Problem {
        let path = target.path
        let hint = nearest.map { ", did you mean \($0.quoted)?" } ?? ""
        return Problem(
            .notFound,
            "no-such-path",
            "there is nothing at this path",
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
            "the path has no such method",
            detail: "found \(method.name.quoted), expected \(names.listed())",
            fields: ["Allow": names.joined(separator: ", ")]
        )
    }

    static func unsupportedMediaType(_ given: String?, expected: [String]) -> Problem {
        Problem(
            .unsupportedMediaType,
            "unsupported-media-type",
            "the body is of a type that is not read here",
            detail: "found \(given.map(\.quoted) ?? "no 'Content-Type'"), expected \(expected.listed())",
            fields: ["Accept": expected.joined(separator: ", ")]
        )
    }

    static let bodyNotExpected = Problem(
        .badRequest,
        "body-not-expected",
        "a body is not expected here",
        detail: "found a body, expected none"
    )

    static func unknownQuery(_ name: String, expected: [String]) -> Problem {
        let nearest = Nearest.name(to: name, among: expected).map { ", did you mean \($0.quoted)?" } ?? ""
        return Problem(
            .badRequest,
            "invalid-query",
            "the query is not as expected",
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
        "the work was ended before it was done",
        detail: "it may be asked for again",
        fields: ["Retry-After": "1"]
    )

    /// What is unexpected is told to the log, not to the caller.
    static let unexpected = Problem(
        .internalError,
        "unexpected",
        "something went wrong",
        detail: "the log of the runner tells more"
    )
}
