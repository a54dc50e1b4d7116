import WireHTTP

extension Problem {
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
