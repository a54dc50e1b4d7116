import Testing
package import WireConfig
package import WireHTTP

/// What is no answer that a test can read.
private struct Unreadable: Error {}

extension [Route] {
    /// What a service answers at its own routes, as the owner of the machine is answered.
    package func answer(_ method: WireHTTP.Method, _ path: String, _ body: String = "") async throws -> (
        status: Int, json: JSONValue
    ) {
        let target = try #require(Target(parsing: path))
        let fields: Fields = body.isEmpty ? [:] : ["Content-Type": "application/json"]
        var request = Request(
            method: method,
            target: target,
            fields: fields,
            caller: .process(user: 0, group: 0, id: 1)
        )
        let response: Response
        switch Router(self).exchange(for: request).plan {
        case .answer(let answer): response = answer
        case .collect(_, let collect):
            request.body = Array<UInt8>(body.utf8)
            switch collect(request) {
            case .now(let answer): response = answer
            case .later(let work): response = await work()
            }
        case .stream: throw Unreadable()
        }
        guard case .bytes(let bytes) = response.body else { throw Unreadable() }
        return (response.status.code, bytes.isEmpty ? .null : try JSONValue(parsing: bytes, named: "answer"))
    }
}
