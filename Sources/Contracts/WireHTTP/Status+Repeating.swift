extension Status {
    /// Whether the same request may end better later: the server was too slow, too busy, too early or not well.
    ///
    /// One table for all who repeat requests. Of the 5xx only those are final that say what the server cannot do at all.
    package var isTransient: Bool {
        switch code {
        case 408, 425, 429: true
        case 501, 505: false
        case 500...599: true
        default: false
        }
    }

    /// As a sentence has it: `404 Not Found`.
    package var shown: String { phrase.isEmpty ? "\(code)" : "\(code) \(phrase)" }

    /// What follows that in a sentence about a request that had to arrive as it was; empty where it is no redirect.
    package var redirectNote: String {
        switch code {
        case 301, 302, 303: ", a redirect that would not send it again as it is, and is not followed"
        case 307, 308: ", a redirect that does not lead to the same server, and is not followed"
        default: ""
        }
    }
}
