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
}
