package import WireBase
import WireConfig
import WireCrypto
package import WireHost
import WirePersistence
import WirePostgres
import WireRuntime
import WireService
import WireSQLite
import WireStore

/// The store of a services file, to be exported or imported beside its runners: that of this machine, or the one that
/// the runners of a group share.
package struct StoreCopy: Sendable {
    private let candidate: Candidate
    private let folders: HostFolders
    /// Nil for the store of this machine.
    private let database: GroupDatabase?

    /// The shared store where the file declares one, unless that of this machine is wanted.
    package init(of options: RunOptions, onMachine: Bool, environment: Environment) throws(StartFailure) {
        candidate = try Assembly.candidate(of: options)
        folders = try Assembly.folders(of: candidate, environment)
        let folder = Assembly.folder(of: options.file)
        database = onMachine ? nil : try GroupDatabase.declared(by: candidate, beside: folder, environment)
    }

    /// Where the rows are, in words.
    package var place: String {
        database.map { "the group '\($0.group)' of the database" } ?? "the store in '\(folder)'"
    }

    /// Where the rows are that are not for this store, in words.
    package var others: String { database == nil ? "the shared database" : "a machine" }

    private var folder: String { candidate.configuration.storeFolder(otherwise: folders.state.path) }
    private var app: String { candidate.app?.id.text ?? "app" }
    private var group: String? { candidate.app?.group?.text }

    private func keys() throws(StoreFailure) -> StoreKeys {
        try StoreKeys(candidate.configuration, folder: folders.state.path)
    }

    // MARK: Export

    package struct Exported: Sendable {
        package let counts: StoreRowCounts
        /// The fingerprint of the key that the file is sealed with.
        package let key: String
        /// The number of encrypted parts that the keys of the services file cannot open.
        package let unreadable: Int
    }

    /// Exports the store as of one moment, while runners use it.
    package func export(to output: any ByteOutput) async throws(StartFailure) -> Exported {
        try await reaching { client throws(StoreFailure) in
            let export = try await source(client)
            do throws(StoreFailure) {
                if database == nil { try checkKey() }
                let keys = try keys()
                try check(export, keys)
                let header = StoreFileHeader(
                    app: app,
                    group: group,
                    isShared: database != nil,
                    elsewhere: database == nil ? shared : [],
                    key: keys.present.fingerprint,
                    version: export.version,
                    time: StoreClock.system.now()
                )
                let exported = try await write(export, header, sealer: keys.sealer, to: output)
                await export.close()
                return exported
            } catch {
                await export.close()
                throw error
            }
        }
    }

    private func reaching<Answer>(
        _ work: (PostgresClient?) async throws(StoreFailure) -> Answer
    ) async throws(StartFailure) -> Answer {
        if let database {
            return try await database.asking { client throws(StoreFailure) in try await work(client) }
        }
        do throws(StoreFailure) { return try await work(nil) } catch { throw StartFailure(of: error) }
    }

    private func source(_ client: PostgresClient?) async throws(StoreFailure) -> any StoreExport {
        guard let database, let client else { return try SQLiteExport(of: folder) }
        return try await PostgresExport(
            of: database.group,
            in: database.settings.schema.text,
            client,
            within: database.settings.connectTimeout
        )
    }

    private func check(_ export: any StoreExport, _ keys: StoreKeys) throws(StoreFailure) {
        guard let check = (export as? PostgresExport)?.keyCheck, !keys.all.contains(where: { $0.id == check }) else {
            return
        }
        throw .foreignKey("the group's data", help: "set 'persistence.key' to that of the runners")
    }

    private func write(
        _ export: any StoreExport,
        _ header: StoreFileHeader,
        sealer: KeySealer,
        to output: any ByteOutput
    ) async throws(StoreFailure) -> Exported {
        var (readable, unreadable) = (0, 0)
        var file = try Self.telling { () throws(Fault) in try StoreFileWriter(header, sealer: sealer, to: output) }
        while case let rows = try await export.next(), !rows.isEmpty {
            for part in rows.lazy.flatMap(\.sealedParts) {
                if sealer.knows(part) { readable += 1 } else { unreadable += 1 }
            }
            try Self.telling { () throws(Fault) in try file.write(rows) }
        }
        guard unreadable == 0 || readable > 0 else {
            // The key of a database was compared with that of its group.
            let key = database == nil ? "'persistence.key' or 'persistence.previousKey'" : "'persistence.previousKey'"
            throw .foreignKey("all encrypted data of the store", help: "set the key that it is sealed with as \(key)")
        }
        try Self.telling { () throws(Fault) in try file.end() }
        return Exported(counts: file.counts, key: header.key, unreadable: unreadable)
    }

    // MARK: Import

    package struct Imported: Sendable {
        package let counts: StoreRowCounts
        /// The number of rows that belong to another store: to that of a machine, or to the shared one.
        package let leftOut: Int
    }

    /// Imports a file into the store, which must be empty and not in use; `-` is standard input.
    package func importing(_ path: String) async throws(StartFailure) -> Imported {
        try await reaching { client throws(StoreFailure) in
            if database == nil { try checkKey() }
            let keys = try keys()
            let file = try Self.telling(of: path) { () throws(Fault) in
                try StoreFileReader(path, copyIn: folders.state.path, sealer: keys.sealer)
            }
            try check(file.header, keys)
            // The whole file, before anything is written.
            try Self.telling(of: path) { () throws(Fault) in
                while try !file.next().isEmpty {}
                try file.begin()
            }
            let target = try await target(client, file.header, keys)
            do throws(StoreFailure) {
                let imported = try await copy(file, path, into: target, keys.sealer)
                await target.close()
                return imported
            } catch {
                await target.close()
                throw error
            }
        }
    }

    private func target(_ client: PostgresClient?, _ header: StoreFileHeader, _ keys: StoreKeys)
        async throws(StoreFailure) -> any StoreImport
    {
        guard let database, let client else {
            return try SQLiteImport(into: folder, version: header.version, exportedAt: header.time)
        }
        return try await PostgresImport(
            into: database.group,
            in: database.settings.schema.text,
            keyCheck: keys.present.id,
            version: header.version,
            client,
            within: database.settings.connectTimeout
        )
    }

    /// Throws where a new key would be made for this machine, with which nothing in the store or the file can be read.
    private func checkKey() throws(StoreFailure) {
        let path = folders.state.file("store.key")
        guard candidate.configuration[PersistenceSection.self]?.key == nil, !Files.exists(path) else { return }
        throw StoreFailure(
            .sealed,
            "this machine has no key for the store",
            help:
                "set 'persistence.key', or copy the 'store.key' that the data is encrypted with to '\(path)' with mode 0600"
        )
    }

    private func check(_ header: StoreFileHeader, _ keys: StoreKeys) throws(StoreFailure) {
        let own = group ?? app
        guard header.group.map({ $0 == own }) ?? (header.app == app) else {
            let whose = header.group.map { "the group \($0.quoted)" } ?? "the app \(header.app.quoted)"
            throw StoreFailure(
                .refused,
                "the file belongs to \(whose), the services file to the \(group == nil ? "app" : "group") \(own.quoted)",
                help: "use the services file of the exported store, with the same 'app'"
            )
        }
        guard keys.all.contains(where: { $0.fingerprint == header.key }) else {
            throw StoreFailure(
                .sealed,
                "the file is sealed with the key \(header.key.quoted), the services file has the key '\(keys.present.fingerprint)'",
                help: "set the key of the exported store as 'persistence.key', or as 'persistence.previousKey'"
            )
        }
    }

    private func copy(_ file: StoreFileReader, _ path: String, into target: any StoreImport, _ sealer: any Sealer)
        async throws(StoreFailure) -> Imported
    {
        var (counts, leftOut) = (StoreRowCounts(), 0)
        while case let rows = try Self.telling(of: path, { () throws(Fault) in try file.next() }), !rows.isEmpty {
            var taken: [StoreRow] = []
            for row in rows where belongs(row, of: file.header) {
                taken.append(try row.bound(to: target.places, from: file.header.places, by: sealer))
                counts.add(row)
            }
            leftOut += rows.count - taken.count
            guard !taken.isEmpty else { continue }
            do throws(StoreFailure) { try await target.write(taken) } catch { throw .notImported(error) }
        }
        try await target.commit()
        return Imported(counts: counts, leftOut: leftOut)
    }

    /// Does a part of the work with a file; its fault names the file.
    private static func telling<Answer>(of path: String? = nil, _ work: () throws(Fault) -> Answer)
        throws(StoreFailure) -> Answer
    {
        do throws(Fault) { return try work() } catch {
            let file = path.map { "\($0.quoted): " } ?? ""
            throw StoreFailure(.other, file + error.reason, help: error.help)
        }
    }

    /// Whether the store is the one that runners look for a row in.
    private func belongs(_ row: StoreRow, of header: StoreFileHeader) -> Bool {
        guard let data = SharedData.allCases.first(where: { $0.owns(row.scope) }), isShared(row, data) else {
            return database == nil
        }
        // The machine has such rows of its own, besides the shared ones; others are those that were moved.
        return database != nil || !header.isShared && header.elsewhere.contains(data)
    }

    private func isShared(_ row: StoreRow, _ data: SharedData) -> Bool {
        guard shared.contains(data) else { return false }
        guard data == .state, let name = row.scope.split(separator: "/").last else { return true }
        return candidate.configuration[PersistenceSection.self]?.namespaces[String(name)]?.place != .device
    }

    /// The data that the file declares to be in a database.
    private var shared: Set<SharedData> {
        Set(DeclaredDatabase(candidate.configuration)?.store.shares ?? [])
    }
}

extension StoreKeys {
    fileprivate var all: [SealingKey] { [present] + former }
    fileprivate var sealer: KeySealer { KeySealer(present, former: former) }
}

extension SealingKey {
    /// Names the key in messages and in exported files without revealing it.
    fileprivate var fingerprint: String { Hexadecimal.text(of: id) }
}

extension StoreFailure {
    fileprivate static func foreignKey(_ what: String, help: String) -> StoreFailure {
        StoreFailure(.sealed, "\(what) is sealed with another key", help: help)
    }
}
