import WireBackends
import WireConfig
import WireGraphQL

/// The results of mutations that came with an idempotency key, returned again for a repeated request.
struct AnswerMemory: Sendable {
    let records: BackendRecords<GraphQLTables>
    let machine: SystemServices

    /// Performs work unless it was done for this key of the caller; a key must belong to one request.
    ///
    /// If the program ended between a change and its result, or a part of the work has failed, each change knows the
    /// name that `run` receives for key and request, and is not made again.
    func once(
        _ key: String,
        of caller: String?,
        _ work: GraphQLPart.Work,
        _ run: (String) async -> ExecutionResult
    ) async throws -> ExecutionResult {
        let owner = JSONValue.array([.string("answer"), caller.map(JSONValue.string) ?? .null, .string(key)])
        let name = try machine.key(owner.text())
        let said = "\(work.title)\n\(DocumentPrinter.text(work.document, .compact))\n\(work.variables.text())"
        let request = try machine.key(said)
        if let known = try await records.find(name, on: .answers) {
            guard known["request"]?.string == request else {
                let message = "the idempotency key belongs to another request"
                return ExecutionResult(
                    data: nil,
                    errors: [ExecutionError(message, extensions: .code("IDEMPOTENCY_KEY_REUSED"))]
                )
            }
            return ExecutionResult(data: known["data"])
        }
        let result = await run(try machine.key("\(name)/\(request)"))
        // A failed request may be sent again.
        guard let data = result.data, result.errors.isEmpty else { return result }
        try await records.put(.members(["request": .string(request), "data": data]), name, on: .answers)
        return result
    }
}
