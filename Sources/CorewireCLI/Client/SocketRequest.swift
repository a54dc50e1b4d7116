import WireBase
package import WireHTTP

/// A request to a runner, with its timeouts.
package struct SocketRequest: Sendable {
    let method: Method
    /// The path and the query in their sent form.
    let target: String
    package var fields: Fields = [:]
    package var body: [UInt8]?
    package var connectLimit = Duration.seconds(5)
    /// The timeout of the response's head, from the last sent byte.
    package var headLimit = Duration.seconds(30)
    /// The timeout between bytes of the response's body.
    package var silence = Duration.seconds(30)

    package init(_ method: Method, _ target: String) {
        (self.method, self.target) = (method, target)
    }

    /// The head and the body in their sent form.
    func bytes() throws(TransferFailure) -> [UInt8] {
        try fields.checkForSending()
        guard target.utf8.allSatisfy(\.isVisible) else {
            throw TransferFailure(.invalidRequest, "the path has an invalid character", wasNotSent: true)
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
