import WireConfig
import WireSyncContract

/// A conflict reported by the server: in Graphback's form, in Offix's, or without data.
struct ConflictInfo {
    var server: JSONValue?
    /// The server's data of the version that the mutation was made from.
    var base: JSONValue?

    init() {}

    /// Nil for an error that reports no conflict.
    init?(_ error: JSONValue) {
        let extensions = error["extensions"]
        if let info = extensions?["conflictInfo"], info.members != nil {
            (server, base) = (info["serverData"] ?? info["serverState"], info["base"])
        } else if let info = extensions?["exception"]?["conflictInfo"], info.members != nil {
            (server, base) = (info["serverState"] ?? info["serverData"], info["base"])
        } else {
            return nil
        }
        if server?.members == nil { server = nil }
        if base?.members == nil { base = nil }
    }
}

/// Decides a conflict by the values of three sides, field by field.
struct ConflictDecision {
    /// The data that the mutation was made from; nil where unknown.
    let base: JSONValue?
    let server: JSONValue
    /// The values of the mutation.
    let client: [(key: String, value: JSONValue)]
    let isDeletion: Bool

    enum Step {
        /// Send again: the values, those omitted with the server's values, and the fields that change at the server.
        case send(dropped: [(key: String, value: JSONValue)], overwritten: [String])
        /// Nothing is left to send.
        case keepServer
        case fail
        case ask
    }

    /// The fields that both sides have changed to different values.
    ///
    /// Without a base every difference counts. A deletion conflicts with each change of the server.
    var fields: [String] {
        if isDeletion { return serverChanges.isEmpty ? ["id"] : serverChanges }
        return client.filter { name, value in
            guard let told = server[name], !told.isSame(as: value) else { return false }
            guard let known = base?[name] else { return true }
            return !known.isSame(as: value) && !known.isSame(as: told)
        }.map(\.key)
    }

    private var serverChanges: [String] {
        (base?.members ?? []).filter { name, value in
            guard !MutationForm.versionFields.contains(name), !name.hasPrefix("_"), let told = server[name] else {
                return false
            }
            return !told.isSame(as: value)
        }.map(\.key)
    }

    func step(_ strategy: ConflictStrategy) -> Step {
        let both = fields
        switch strategy {
        case .fail: return .fail
        case .ask: return both.isEmpty ? .send(dropped: unchanged, overwritten: []) : .ask
        case .clientWins: return .send(dropped: [], overwritten: isDeletion ? serverChanges : differing)
        case .merge: return .send(dropped: unchanged, overwritten: both)
        case .serverWins:
            if isDeletion, !both.isEmpty { return .keepServer }
            let dropped = unchanged + both.compactMap { name in server[name].map { (name, $0) } }
            let isLeft = client.contains { name, _ in !dropped.contains { $0.key == name } }
            return isLeft || isDeletion ? .send(dropped: dropped, overwritten: []) : .keepServer
        }
    }

    /// The fields that the mutation left unchanged, and the server has changed.
    private var unchanged: [(key: String, value: JSONValue)] {
        client.compactMap { name, value in
            guard let known = base?[name], known.isSame(as: value), let told = server[name], !told.isSame(as: value)
            else { return nil }
            return (name, told)
        }
    }

    /// The fields of the mutation that the server has changed since.
    private var differing: [String] {
        client.filter { name, value in
            guard let told = server[name], !told.isSame(as: value) else { return false }
            return base?[name]?.isSame(as: told) != true
        }.map(\.key)
    }
}
