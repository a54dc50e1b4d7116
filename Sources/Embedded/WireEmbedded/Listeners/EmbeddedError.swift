import WireHTTP

/// An error response of an embedded server, in the words of the emulated one.
struct EmbeddedError: Error, Sendable {
    let reason: String
    let response: Response

    init(_ reason: String, _ response: Response) { (self.reason, self.response) = (reason, response) }
}
