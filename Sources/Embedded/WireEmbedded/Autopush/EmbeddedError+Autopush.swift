import WireBase
import WireConfig
import WireHTTP

/// The errors of an autopush server: `{code, errno, error, message}`.
extension EmbeddedError {
    static func autopush(_ status: Status, _ number: Int, _ reason: String, fields: Fields = [:]) -> Self {
        var response = Response.json(
            .members([
                "code": .integer(status.code), "errno": .integer(number), "error": .string(status.phrase),
                "message": .string(reason),
            ]),
            status: status
        )
        for field in fields.all { response.fields[field.name] = field.value }
        return Self(reason, response)
    }

    /// An unknown path, token or message id.
    static let autopushUnknown = autopush(.notFound, 102, "unknown endpoint or message")

    /// The receiver is gone, or has ended the subscription; senders may remember that.
    static func autopushGone(_ number: Int) -> Self {
        autopush(
            Status(410),
            number,
            "the subscription does not exist any more",
            fields: ["Cache-Control": "max-age=86400"]
        )
    }

    static func autopushVAPID(_ reason: String) -> Self {
        autopush(.unauthorized, 109, "invalid VAPID: \(reason)", fields: ["WWW-Authenticate": "vapid"])
    }

    /// The server cannot store more now, or has no address yet.
    static let autopushBusy = autopush(.unavailable, 201, "try again later", fields: ["Retry-After": "120"])

    static let autopushFailed = autopush(.internalError, 999, "the server failed")
}
