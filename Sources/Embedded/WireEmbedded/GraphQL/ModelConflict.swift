import WireBackends
import WireConfig
import WireGraphQL

/// An update or deletion that was made from another version than the server's.
struct ModelConflict {
    let object: ModelObject
    /// The client's values, without its version.
    let client: JSONValue
    let version: Int
    let isDeletion: Bool

    /// The values of the client's version; nil where the server no longer has them.
    private var base: JSONValue? { object.values(of: version) }

    /// The fields that the client changes.
    private var clientDiff: [(key: String, value: JSONValue)] {
        Self.difference(client.members ?? [], from: base)
    }

    /// The fields changed at the server since the client's version; all of them where that version is gone.
    private var serverDiff: [(key: String, value: JSONValue)] {
        Self.difference(object.values.members ?? [], from: base)
    }

    private static func difference(_ values: [(key: String, value: JSONValue)], from base: JSONValue?)
        -> [(key: String, value: JSONValue)]
    {
        values.filter { name, value in base.map { ($0[name] ?? .null).text() != value.text() } ?? true }
    }

    /// Returns the values to write and whether the object is deleted; throws where the strategy leaves the conflict
    /// to the client.
    func resolved(by strategy: ConflictStrategy) throws(ResolverError) -> (values: JSONValue, isDeleted: Bool) {
        guard strategy == .clientSideWins || (!isDeletion && !object.isDeleted) else { throw error }
        guard !isDeletion else { return (object.values, true) }
        let (mine, theirs) = (clientDiff, serverDiff)
        let shared = mine.filter { field in
            theirs.contains { $0.key == field.key && $0.value.text() != field.value.text() }
        }
        switch strategy {
        case .clientSideWins: return (object.values.merging(mine), false)
        case .serverSideWins:
            return (object.values.merging(mine.filter { field in !shared.contains { $0.key == field.key } }), false)
        case .throwOnConflict:
            guard shared.isEmpty else { throw error }
            return (object.values.merging(mine), false)
        }
    }

    /// The error in the form of DataSync's servers.
    private var error: ResolverError {
        let base = base
        return ResolverError(
            "the \(object.type) '\(object.id)' was changed since version \(version)",
            extensions: .members([
                "code": .string("CONFLICT"),
                "conflictInfo": .members([
                    "base": base.map { $0.merging([("_version", .integer(version))]) } ?? .null,
                    "serverData": .object((object.json.members ?? []).filter { $0.key != "__typename" }),
                    "serverDiff": .object(serverDiff),
                    "clientData": client.merging([("_version", .integer(version))]),
                    "clientDiff": .object(clientDiff),
                    "operation": .string(isDeletion ? "delete" : "update"),
                ]),
            ])
        )
    }
}
