import WireBase
import WireConfig
import WireHTTP

extension PushRequestContext {
    /// Performs a request once for each `Request-ID`; a repetition gets the stored response.
    ///
    /// Only the same request of the same sender is a repetition.
    func once(_ request: Request, by sender: String, _ work: @Sendable () async throws -> Response) async throws
        -> Response
    {
        guard let id = request.fields["Request-ID"], (1...Self.longestID).contains(id.utf8.count) else {
            return try await work()
        }
        let key = try machine.key("once\n\(sender)\n\(request.method.name) \(request.target.path)\n\(id)")
        return try await repeats.alone {
            if let known = try await records.find(key, on: .requests), let code = known["status"]?.integer {
                return known["body"].map { .json($0, status: Status(code)) } ?? Response(Status(code))
            }
            let response = try await work()
            var body: JSONValue?
            if case .bytes(let bytes) = response.body, !bytes.isEmpty {
                body = try? JSONValue(parsing: bytes, named: "answer")
            }
            let answer = JSONValue.members(["status": .integer(response.status.code), "body": body])
            try await records.put(answer, key, on: .requests)
            return response
        }
    }

    /// The largest length of an id, in bytes.
    static let longestID = 256
}
