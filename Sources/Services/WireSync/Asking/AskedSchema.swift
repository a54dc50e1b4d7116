import WireConfig
import WireGraphQL

/// What a server says when it is asked for its schema.
enum AskedSchema {
    case schema(Schema)
    /// It gives no schema; what it says of that, where it says something.
    case refused(String?)
    case invalid(Finding)

    /// Asks in the forms that servers of different age understand, until one is answered.
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
