import WireBase
package import WireHTTP

/// A request to a runner, and how long what belongs to it may take.
package struct SocketRequest: Sendable {
    let method: Method
    /// The path and the query, as they are sent.
    let target: String
    package var fields: Fields = [:]
    package var body: [UInt8]?
    package var connectLimit = Duration.seconds(5)
    /// Until the head of the answer, from the last byte that could be sent.
    package var headLimit = Duration.seconds(30)
    /// Without a byte of the answer's body, while it is waited for.
    package var silence = Duration.seconds(30)

    package init(_ method: Method, _ target: String) {
        (self.method, self.target) = (method, target)
    }

    /// The head and the body, as they are sent.
    func bytes() throws(TransferFailure) -> [UInt8] {
        try fields.checkForSending()
        guard target.utf8.allSatisfy(\.isVisible) else {
            throw TransferFailure(.invalidRequest, "the path holds what no path may hold", wasNotSent: true)
        }
        var head = "\(method.name) \(target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for field in fields.all { head += "\(field.name): \(field.value)\r\n" }
        if fields["User-Agent"] == nil { head += "User-Agent: corewire/\(Program.version)\r\n" }
        if let length = body?.count ?? ([.post, .put, .patch].contains(method) ? 0 : nil) {
            head += "Content-Length: \(length)\r\n"
        }
        return Array("\(head)\r\n".utf8) + (body ?? [])
    }
}
