import WireHTTP

extension Problem {
    static func forbidden(_ detail: String) -> Problem {
        Problem(.forbidden, "forbidden", "not allowed", detail: detail)
    }

    static func unauthorized(_ detail: String) -> Problem {
        Problem(
            .unauthorized,
            "unauthorized",
            "who asks is not known",
            detail: detail,
            fields: ["WWW-Authenticate": "Bearer realm=\"corewire\""]
        )
    }

    static func tooMany(_ detail: String, after wait: Duration) -> Problem {
        Problem(
            .tooManyRequests,
            "too-many-requests",
            "too many requests",
            detail: detail,
            fields: ["Retry-After": "\(max(1, wait.components.seconds))"]
        )
    }
}
