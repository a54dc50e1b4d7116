import Support
import Testing
import WirePostgres
import WireStore

/// The schema in a database that an earlier program has made.
@Suite("Migration of a database", .timeLimit(.minutes(2)))
struct MigrationTests {
    @Test("functions that the schema lacks are made, with their rights; what is there stays")
    func missingFunctions() async throws {
        let database = try await Database(role: "app")
        let opened = OpenedStores()
        let store = await opened.keep(try await database.open(user: "app"))
        _ = try await store.put(NewValue([1], type: "t"), under: "a", in: "n", if: .absent)
        _ = try database.sql("DROP FUNCTION corewire.export_begin_1, corewire.check_copy_1")
        _ = try database.sql("DROP SEQUENCE corewire.clock_seen, corewire.clock_ahead")
        let client = try PostgresClient(database.settings)
        let migration = try PostgresMigration(role: "app")
        #expect(try await migration.run(client) == .functions)
        #expect(try await migration.run(client) == .nothing)
        await client.close()
        let right = "has_function_privilege('%', 'corewire.export_begin_1(text, bytea)', 'EXECUTE')"
        #expect(try database.sql("SELECT \(right.replacing("%", with: "app"))") == "t")
        #expect(try database.sql("SELECT \(right.replacing("%", with: "public"))") == "f")
        #expect(try await store.entry("a", in: "n")?.bytes == [1])
        _ = try await store.put(NewValue([2], type: "t"), under: "a", in: "n", if: .present)
        await opened.close()
    }

    @Test("a runner joins with the version of the schema that it makes, and a schema for later ones refuses it")
    func versions() async throws {
        let database = try await Database()
        let store = try await database.open()
        let joined = "SELECT r.program, m.schema FROM corewire.runners r, corewire.meta m"
        #expect(try database.sql(joined) == "\(PostgresStore.program)|\(PostgresStore.program)")
        // It is not older than the oldest that may use the schema.
        _ = try database.sql("UPDATE corewire.meta SET oldest = schema")
        await (try await database.open()).close()
        _ = try database.sql("UPDATE corewire.meta SET oldest = schema + 1")
        let failure = await #expect(throws: StoreFailure.self) { try await database.open() }
        #expect(failure?.kind == .newer && failure?.help == "install the version that the other runners have")
        let words = "later versions of this program only: its schema requires version 2, this program has 1"
        #expect(failure?.reason.hasSuffix(words) == true, "\(failure.debugDescription)")
        #expect(try database.sql("SELECT count(*) FROM corewire.runners") == "1")
        await store.close()
    }
}
