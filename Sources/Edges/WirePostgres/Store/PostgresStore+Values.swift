package import WireBase
import WireConfig
package import WireStore

extension PostgresStore: KeyValueStore {
    package func entry(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry? {
        guard let row = try await row(key, in: namespace, whole: true) else { return nil }
        let (summary, isSealed, bytes) = try storing { () throws(PostgresFailure) in
            (try row.summary(of: key), try row.bool(5), try row.bytes(6))
        }
        let opened = isSealed ? try sealer.open(bytes, for: place(.entry, key, in: namespace)) : bytes
        return StoredEntry(summary: summary, bytes: opened)
    }

    package func summary(_ key: String, in namespace: String) async throws(StoreFailure) -> StoredEntry.Summary? {
        guard let row = try await row(key, in: namespace, whole: false) else { return nil }
        return try storing { () throws(PostgresFailure) in try row.summary(of: key) }
    }

    private func row(_ key: String, in namespace: String, whole: Bool) async throws(StoreFailure) -> PostgresRow? {
        try await read("entry_1", [now, .name(namespace), .name(key), .bool(whole)]).first
    }

    package func list(
        _ namespace: String,
        prefix: String,
        after: String?,
        limit: Int
    ) async throws(StoreFailure) -> [StoredEntry.Summary] {
        let parameters: [PostgresParameter] = [
            now, .name(namespace), .name(prefix), .name(after), .int4(Int32(clamping: max(0, limit))),
        ]
        let rows = try await read("list_1", parameters)
        return try storing { () throws(PostgresFailure) in
            var found: [StoredEntry.Summary] = []
            for row in rows { found.append(try row.summary(of: row.name(0), from: 1)) }
            return found
        }
    }

    package func entries(
        _ namespace: String,
        prefix: String,
        after: String?,
        limit: Int
    ) async throws(StoreFailure) -> [ListedEntry] {
        let parameters: [PostgresParameter] = [
            now, .name(namespace), .name(prefix), .name(after), .int4(Int32(clamping: max(0, limit))),
            .integer(ListedEntry.sizeOfPage.bytes),
        ]
        let rows = try await read("entries_1", parameters)
        var found: [ListedEntry] = []
        for row in rows {
            let (summary, isSealed, bytes) = try storing { () throws(PostgresFailure) in
                (try row.summary(of: row.name(0), from: 1), try row.bool(6), try row.bytes(7))
            }
            do throws(StoreFailure) {
                let opened =
                    isSealed ? try sealer.open(bytes, for: place(.entry, summary.key, in: namespace)) : bytes
                found.append(ListedEntry(summary, .success(opened)))
            } catch {
                guard error.isOfEntry else { throw error }
                found.append(ListedEntry(summary, .failure(error)))
            }
        }
        return found
    }

    package func usage(of namespace: String) async throws(StoreFailure) -> StoreUsage {
        let rows = try await read("usage_1", [now, .name(namespace)])
        return try storing { () throws(PostgresFailure) in
            guard let row = rows.first else { return StoreUsage(entries: 0, size: .bytes(0)) }
            return StoreUsage(entries: try row.int(0), size: .bytes(try row.int(1)))
        }
    }

    package func namespaces() async throws(StoreFailure) -> [String] {
        let rows = try await read("namespaces_1", [now])
        return try storing { () throws(PostgresFailure) in
            var names: [String] = []
            for row in rows { names.append(try row.name(0)) }
            return names
        }
    }

    // MARK: Writing

    package func put(
        _ value: NewValue,
        under key: String,
        in namespace: String,
        if condition: StoreCondition
    ) async throws(StoreFailure) -> StoreReceipt {
        try limits.check(name: namespace, "namespace")
        try limits.check(key: key, "key")
        try limits.check(size: value.bytes.count, "value")
        let bytes =
            value.isSealed ? try sealer.seal(value.bytes, for: place(.entry, key, in: namespace)) : value.bytes
        let (functions, now, quota, history) = (functions, now, value.quota, Int64(limits.history))
        let answer = try await writer.write(.values, size: bytes.count) {
            member,
            _ in
            functions.call(
                "put_1",
                [
                    .int4(member.group), now, .name(namespace), .name(key), .name(value.type),
                    .integer(value.bytes.count), .milliseconds(value.lifetime), .bool(value.isSealed), .bytea(bytes),
                    .int2(condition.number), .int8(condition.version), .integer(quota.entries),
                    .integer(quota.size?.bytes), .name(quota.together?.prefix), .integer(quota.together?.size.bytes),
                    .name(quota.namespaces?.prefix), .integer(quota.namespaces?.count),
                    .name(quota.namespaces?.widerPrefix), .integer(quota.namespaces?.widerCount),
                    .bool(quota.removesOldest), .int8(history),
                ]
            )
        }
        switch answer.kind {
        case "put":
            let summary = StoredEntry.Summary(
                key: key,
                version: try answer.integer(1),
                type: value.type,
                size: value.bytes.count,
                modified: try answer.integer(4),
                expires: try answer.optionalInteger(5)
            )
            return StoreReceipt(summary, isNew: try answer.boolean(2), removed: Int(try answer.integer(3)))
        case "conflict": throw try conflict(answer, condition, key)
        case "full":
            guard let limit = answer.items[1].string.flatMap(StorageQuota.Limit.init) else {
                throw .unexpected("an unknown limit")
            }
            throw quota.failure(limit, of: namespace, wouldHold: try answer.integer(2))
        default: throw .unexpected("an unknown answer to a put")
        }
    }

    package func remove(
        _ key: String,
        in namespace: String,
        if condition: StoreCondition
    ) async throws(StoreFailure) -> Bool {
        let (functions, now, history) = (functions, now, Int64(limits.history))
        let answer = try await writer.write(.values) { member, _ in
            functions.call(
                "delete_1",
                [
                    .int4(member.group), now, .name(namespace), .name(key), .int2(condition.number),
                    .int8(condition.version), .int8(history),
                ]
            )
        }
        if answer.kind == "conflict" { throw try conflict(answer, condition, key) }
        return try answer.boolean(0)
    }

    private func conflict(_ answer: StoreAnswer, _ condition: StoreCondition, _ key: String) throws(StoreFailure)
        -> StoreFailure
    {
        try condition.check(key, try answer.optionalInteger(1))
        return .unexpected("a conflict that is none")
    }

    package func clear(_ namespace: String) async throws(StoreFailure) -> Int {
        let (functions, now, history) = (functions, now, Int64(limits.history))
        let answer = try await writer.write(.values) { member, _ in
            functions.call("clear_1", [.int4(member.group), now, .name(namespace), .int8(history)])
        }
        return Int(try answer.integer(0))
    }

    // MARK: Changes

    package func changes(after version: Int64, in namespace: String?, limit: Int) async throws(StoreFailure)
        -> StoreChanges
    {
        let limit = max(0, limit)
        let head = functions.call("head_1", [.int4(try number())])
        let parameters: [PostgresParameter] = [
            .int4(try number()), .int8(version), .name(namespace), .int4(Int32(clamping: limit)),
        ]
        // The version before the changes, or those between would be skipped; what is gone after them, or a gap is missed.
        let results = try await read([head, functions.call("changes_1", parameters), head])
        return try storing { () throws(PostgresFailure) in
            let newest = try results[0].first?.integer(0) ?? 0
            let trimmed = try results[2].first?.integer(1) ?? 0
            var found: [StoreChanges.Change] = []
            for row in results[1] {
                let kind: StoreChanges.Change.Kind =
                    switch try row.integer(0) {
                    case 0: .put
                    case 1: .removed
                    default: .expired
                    }
                found.append(
                    StoreChanges.Change(
                        kind: kind,
                        namespace: try row.name(1),
                        key: try row.name(2),
                        version: try row.integer(3)
                    )
                )
            }
            let isCut = found.count == limit
            return StoreChanges(
                changes: found,
                // A version that was never assigned belongs to another store.
                hasGap: version > newest || version < trimmed,
                version: isCut ? found.last?.version ?? version : max(newest, found.last?.version ?? newest)
            )
        }
    }

    package func changed(after version: Int64) async throws(StoreFailure) -> Int64 {
        try await wait { () async throws(StoreFailure) -> Lookup<Int64> in
            let rows = try await read("head_1", [])
            let newest = try storing { () throws(PostgresFailure) in try rows.first?.integer(0) ?? 0 }
            // An older one is that of a server that has lost changes, of which the history tells.
            return newest != version && newest > 0 ? .found(newest) : .nothing(again: Self.longestWait)
        }
    }

    package func failure() async -> StoreFailure? {
        // A server that is away comes back.
        await OneShot().wait()
        return nil
    }

    package func trouble(after told: Fault?) async -> Fault? { await presence.trouble(after: told) }

    // MARK: Upkeep

    package func scrub() async throws(StoreFailure) -> Scrubbed {
        let functions = functions
        _ = try await writer.write(.values) { member, _ in functions.call("scrub_1", [.int4(member.group)]) }
        return try await scrubbable()
    }

    package func scrubbable() async throws(StoreFailure) -> Scrubbed {
        Scrubbed(copies: 0, remains: "the log, the backups and the standbys of the database's server")
    }
}

extension StoreCondition {
    fileprivate var number: Int16 {
        switch self {
        case .always: 0
        case .absent: 1
        case .present: 2
        case .version: 3
        }
    }

    fileprivate var version: Int64? { if case .version(let version) = self { version } else { nil } }
}

extension PostgresRow {
    /// The properties of an entry, from a column on: version, type, size, modified, expires.
    fileprivate func summary(of key: String, from first: Int = 0) throws(PostgresFailure) -> StoredEntry.Summary {
        StoredEntry.Summary(
            key: key,
            version: try integer(first),
            type: try name(first + 1),
            size: try int(first + 2),
            modified: try integer(first + 3),
            expires: try optionalInteger(first + 4)
        )
    }
}
