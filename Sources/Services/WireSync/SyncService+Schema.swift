import WireBase
import WireConfig
import WireGraphQL
import WireHTTP
import WireSyncContract

extension SyncService {
    /// Requests the server's schema.
    func serverSchema(_ tokens: TokenRights) async throws(SyncFailure) -> Schema {
        let server = server
        let asked = try await AskedSchema.ask { request throws(SyncFailure) in
            try await server.send(request, isQuery: true, tokens)
        }
        switch asked {
        case .schema(let schema): return schema
        case .refused(let complaint):
            throw SyncFailure(
                .refused,
                "the server does not give its schema" + (complaint.map { ": \($0.shown(upTo: 200))" } ?? ""),
                help: "introspection may be switched off at the server"
            )
        case .invalid(let finding):
            throw SyncFailure(.malformed, "the server gives a schema that is not valid: \(finding.message)")
        }
    }
}
