import WireBase
package import WireStore

/// Writes rows into an empty group, in one transaction, until whose end no runner can join.
package final class PostgresImport: StoreImport {
    package let places: SealedPlaces
    private let transaction: CopyTransaction
    private let group: Int32
    private let versions: ImportedVersions

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
        let rows = try await transaction.begin(
            "",
            "import_begin_1",
            [.name(group), .bytea(keyCheck)],
            within: limit
        )
        guard let row = rows.first else { throw .unexpected("no answer to an import") }
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

    package func commit() async throws(StoreFailure) {
        try await transaction.commit("import_end_1", [.int4(group), .int8(versions.last)])
    }

    package func close() async { await transaction.close() }
}

extension PostgresParameter {
    fileprivate static func names<Row>(_ rows: [Row], _ name: KeyPath<Row, String>) -> Self {
        .byteas(rows.map { Array($0[keyPath: name].utf8) })
    }
}
