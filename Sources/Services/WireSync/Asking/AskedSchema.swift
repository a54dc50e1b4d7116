import WireConfig
import WireGraphQL

/// A server's response to a query for its schema.
enum AskedSchema {
    case schema(Schema)
    /// The server gives no schema; its message, where there is one.
    case refused(String?)
    case invalid(Finding)

    /// Sends introspection queries for servers of different versions, until one succeeds.
    static func ask<Failure: Error>(
        _ send: (GraphQLRequest) async throws(Failure) -> ServerResponse
    ) async throws(Failure) -> AskedSchema {
        var complaint: String?
        for query in IntrospectionQuery.allCases {
            let response = try await send(GraphQLRequest(query.text, operationName: "IntrospectionQuery"))
            guard let data = response.data, let schema = data["__schema"], schema.members != nil else {
                complaint = response.complaint ?? complaint
                continue
            }
            do throws(Finding) {
                return .schema(try Schema(introspection: data))
            } catch {
                return .invalid(error)
            }
        }
        return .refused(complaint)
    }
}
