import WireBase
package import WireConfig

extension Request {
    /// Reads the body as one JSON object, member by member.
    ///
    /// A member that the closure does not request is unknown and is rejected.
    package func json<Value>(_ read: (inout JSONMembers) throws(Problem) -> Value) throws(Problem) -> Value {
        let text = try jsonDocument()
        var members = try JSONMembers(text.root, at: "", in: text)
        let value = try read(&members)
        try members.refuseUnknown()
        return value
    }

    /// Reads the body as any JSON value.
    package func jsonValue() throws(Problem) -> JSONValue {
        let text = try jsonDocument()
        return try Problem.rethrowing(try text.value(text.root))
    }

    private func jsonDocument() throws(Problem) -> JSONDocument {
        try Problem.rethrowing(try JSONDocument(body))
    }
}

extension ServerSentEvent {
    /// An event whose data is a JSON value.
    package init(id: String? = nil, event: String? = nil, _ value: some JSONCodable) {
        self.init(id: id, event: event, data: String(decoding: value.bytes, as: UTF8.self))
    }
}

extension Response {
    /// A response with a JSON value.
    package static func json(_ value: some JSONCodable, status: Status = .ok) -> Response {
        Response(
            status,
            fields: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: .bytes(value.bytes)
        )
    }
}
