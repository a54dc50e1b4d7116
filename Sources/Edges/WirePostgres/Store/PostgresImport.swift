import WireBase
package import WireStore

/// Writes rows into an empty group, in one transaction, until whose end no runner can join.
package final class PostgresImport: StoreImport {
    package let places: SealedPlaces
    private let transaction: CopyTransaction
    private let target: Target
    private let group: Int32
    private let versions: ImportedVersions

    private struct Target {
        let group: String
        let keyCheck: [UInt8]
        let limit: Duration
    }

    /// Begins an import; makes the group where it is missing.
    package init(
        into group: String,
        in schema: String,
        keyCheck: [UInt8],
        version: Int64,
        _ client: PostgresClient,
        within limit: Duration
    ) async throws(StoreFailure) {
        transaction = CopyTransaction(client, schema: schema)
        target = Target(group: group, keyCheck: keyCheck, limit: limit)
        let row = try await Self.begin(transaction, target)
        let (status, number, present, machine) = try storing { () throws(PostgresFailure) in
            (
                try row.text(0), Int32(truncatingIfNeeded: try row.integer(1)), try row.integer(2),
                try row.optionalName(3)
            )
        }
        switch status {
        case "ready": break
        case "key": throw .otherKey
        case "runner":
            throw StoreFailure(
                .busy,
                "a runner on '\(machine ?? "")' works in the group '\(group)'",
                help:
                    "stop all runners of the group; 'corewire store status' lists them. One that was killed is given up when a runner is started"
            )
        case "data":
            throw StoreFailure(
                .refused,
                "the group '\(group)' of the database is not empty",
                help: "use another database, or another 'persistence.store.schema'"
            )
        default: throw .unexpected("an unknown answer to an import")
        }
        places = SealedPlaces(group: group)
        self.group = number
        versions = ImportedVersions(exported: version, present: present)
    }

    private static func begin(_ transaction: CopyTransaction, _ target: Target) async throws(StoreFailure)
        -> PostgresRow
    {
        let parameters: [PostgresParameter] = [.name(target.group), .bytea(target.keyCheck)]
        let rows = try await transaction.begin("", "import_begin_1", parameters, within: target.limit)
        guard let row = rows.first else { throw .unexpected("no answer to an import") }
        return row
    }

    package func write(_ rows: [StoreRow]) async throws(StoreFailure) {
        var (entries, items, ended, pauses) = (
            [StoreRow.Entry](), [StoreRow.Item](), [StoreRow.Ended](), [StoreRow.Pause]()
        )
        for row in rows {
            switch row {
            case .entry(let entry): entries.append(entry)
            case .item(let item): items.append(item)
            case .ended(let one): ended.append(one)
            case .pause(let pause): pauses.append(pause)
            }
        }
        if !entries.isEmpty { try await write(entries) }
        if !items.isEmpty { try await write(items) }
        if !ended.isEmpty {
            try await call(
                "import_ended_1",
                [
                    .names(ended, \.queue), .names(ended, \.id), .int8s(ended.map(\.ended)), .int8s(ended.map(\.until)),
                    .byteas(ended.map(\.note)),
                ]
            )
        }
        if !pauses.isEmpty { try await call("import_pauses_1", [.names(pauses, \.queue), .names(pauses, \.lane)]) }
    }

    private func write(_ entries: [StoreRow.Entry]) async throws(StoreFailure) {
        try await call(
            "import_entries_1",
            [
                .names(entries, \.namespace), .names(entries, \.key),
                .int8s(entries.map { $0.version + versions.added }), .names(entries, \.type),
                .int8s(entries.map { Int64($0.size) }), .int8s(entries.map(\.modified)), .int8s(entries.map(\.expires)),
                .bools(entries.map(\.isSealed)), .byteas(entries.map(\.bytes)),
            ]
        )
    }

    private func write(_ items: [StoreRow.Item]) async throws(StoreFailure) {
        try await call(
            "import_items_1",
            [
                .names(items, \.queue), .names(items, \.id), .names(items, \.lane), .names(items, \.kind),
                .int8s(items.map(\.added)), .int8s(items.map(\.due)), .int8s(items.map { Int64($0.attempts) }),
                .byteas(items.map { $0.reason.map { Array($0.utf8) } }),
                .byteas(items.map { $0.awaits.map { Array($0.utf8) } }), .int8s(items.map { Int64($0.size) }),
                .bools(items.map(\.isSealed)), .byteas(items.map(\.head)), .byteas(items.map(\.payload)),
            ]
        )
    }

    private func call(_ name: StaticString, _ columns: [PostgresParameter]) async throws(StoreFailure) {
        _ = try await transaction.rows(name, [.int4(group)] + columns)
    }

    /// Commits; where the answer is lost, asks the database whether it has.
    package func commit() async throws(StoreFailure) {
        do throws(StoreFailure) {
            try await transaction.commit("import_end_1", [.int4(group), .int8(versions.last)])
        } catch {
            if error.isAway, try await hasCommitted() { return }
            throw .notImported(error)
        }
    }

    /// Whether the versions of the group follow those of this import.
    ///
    /// Waits for the end of the transaction, which has the lock of the group.
    private func hasCommitted() async throws(StoreFailure) -> Bool {
        do throws(StoreFailure) {
            let row = try await Self.begin(transaction, target)
            return try storing { () throws(PostgresFailure) in versions.precede(try row.integer(2)) }
        } catch {
            throw StoreFailure(
                .away,
                "the connection was lost at the end of the import, and it is unknown whether the database has it: \(error.reason)",
                help:
                    "run the command again when the database can be reached: it imports the file, or finds the group not empty, which then has all of the file"
            )
        }
    }

    package func close() async { await transaction.close() }
}

extension PostgresParameter {
    fileprivate static func names<Row>(_ rows: [Row], _ name: KeyPath<Row, String>) -> Self {
        .byteas(rows.map { Array($0[keyPath: name].utf8) })
    }
}
