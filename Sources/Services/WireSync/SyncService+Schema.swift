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
                "the server does not return its schema" + (complaint.map { ": \($0.shown(upTo: 200))" } ?? ""),
                help: "introspection may be disabled on the server"
            )
        case .invalid(let finding):
            throw SyncFailure(.malformed, "the schema of the server is not valid: \(finding.message)")
        }
    }
}
