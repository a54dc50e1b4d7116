extension Status {
    /// Whether a retry of the same request may succeed: the server was slow, overloaded, or temporarily failing.
    ///
    /// All retries use this table. The 5xx codes that mean "not supported" are final.
    package var isTransient: Bool {
        switch code {
        case 408, 425, 429: true
        case 501, 505: false
        case 500...599: true
        default: false
        }
    }

    /// The status in a message: `404 Not Found`.
    package var shown: String { phrase.isEmpty ? "\(code)" : "\(code) \(phrase)" }

    /// An addition to a message about a redirect that is not followed; empty for other codes.
    package var redirectNote: String {
        switch code {
        case 301, 302, 303: ", a redirect that would change the request; not followed"
        case 307, 308: ", a redirect to another server; not followed"
        default: ""
        }
    }
}
