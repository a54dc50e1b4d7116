import WireBackends
import WireConfig
import WireGraphQL

/// Resolves the fields of a schema without models from the result that the file has for the operation.
struct FixedResolver: FieldResolver {
    let answer: FixedAnswer

    /// A recorded result has its members under their aliases.
    func value(of call: FieldCall) async throws -> JSONValue? {
        call.parent[call.responseName] ?? call.parent[call.field]
    }

    func events(of call: FieldCall) async throws -> AsyncThrowingStream<JSONValue, any Error> {
        let events = answer.events
        return AsyncThrowingStream { stream in
            events.forEach { stream.yield($0["data"] ?? .null) }
            stream.finish()
        }
    }
}
