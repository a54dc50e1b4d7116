import Corewire
import Support
import Testing

@Suite("GraphQL through the Swift API")
struct SyncAPITests {
    private static let sections = """
        sync: { url: graphql, authenticated: false, schema: schema.graphqls, operations: "*.graphql" }
        backends: { graphql: { schema: schema.graphqls, data: data.json } }
        """
    private static let data = """
        { "operations": {
            "OneNode": { "data": {
              "node": { "id": "1", "type": "Task", "__typename": "Task", "title": "Paint" }, "titled": null
            } },
            "SaveTask": { "data": { "save": null }, "errors": [
              { "message": "too long", "path": ["save", "input"], "extensions": { "code": "TOO_LONG" } }
            ] },
            "TaskChanged": { "events": [ { "data": { "changed": {
              "id": "1", "title": "Sand", "status": "OPEN", "changed": 7, "isPinned": true
            } } } ] }
        } }
        """

    private func program() async throws -> EmbeddedProgram {
        var files = ["data.json": Self.data]
        for name in ["schema.graphqls", "operations.graphql", "fragments.graphql"] {
            files[name] = try Repository.text(of: "Tests/CorewireTests/Sync/Fixtures/\(name)")
        }
        return try await EmbeddedProgram(sections: Self.sections, files: files)
    }

    @Test("generated operations run, and their results decode into the generated types")
    func typed() async throws {
        let program = try await program()
        let sync = program.corewire.sync
        let answer = try await sync.query(GraphQL.OneNodeQuery(id: "1"), policy: .networkOnly)
        #expect(answer.data?.node?.asTitled?.title == "Paint" && answer.errors.isEmpty && !answer.isCached)
        #expect(try await sync.query(GraphQL.OneNodeQuery(id: "1"), policy: .cacheOnly).isCached)
        #expect(try await sync.refetch(GraphQL.OneNodeQuery(id: "1")) == false)
        struct Node: Decodable { let node: [String: String]? }
        let untyped = try await sync.query("OneNode", variables: ["id": "1"], as: Node.self)
        #expect(untyped.data?.node?["title"] == "Paint")
        let failed = try await sync.mutate(GraphQL.SaveTaskMutation(input: .init(title: "t")))
        #expect(failed.data?.save == nil && failed.errors.map(\.code) == ["TOO_LONG"])
        #expect(failed.errors.map(\.message) == ["too long"])
        await program.stop()
    }

    @Test("a watch delivers each new result, and a subscription the server's events, as generated types")
    func streams() async throws {
        let program = try await program()
        let sync = program.corewire.sync
        func title(_ update: Corewire.SyncUpdate<GraphQL.OneNodeQuery.Data>?) -> String? {
            if case .answer(let answer)? = update { answer.data?.node?.asTitled?.title } else { nil }
        }
        var updates = try sync.watch(GraphQL.OneNodeQuery(id: "1")).makeAsyncIterator()
        #expect(title(try await updates.next()) == "Paint")
        var titles: [String?] = []
        for try await message in try sync.subscribe(GraphQL.TaskChangedSubscription()) {
            if case .next(let answer) = message { titles.append(answer.data?.changed.taskParts.title) }
        }
        #expect(titles == ["Sand"])
        #expect(title(try await updates.next()) == "Sand")
        var undeclared = try sync.subscribe("None", as: [String: Int].self).makeAsyncIterator()
        let error = await #expect(throws: CorewireError.self) { _ = try await undeclared.next() }
        #expect(error?.code == .noSuchOperation)
        #expect(try await undeclared.next() == nil)
        await program.stop()
        #expect(try await updates.next() == nil)
    }

    @Test("a failure reports its kind")
    func failures() async throws {
        let program = try await program()
        let sync = program.corewire.sync
        func code(_ work: () async throws(CorewireError) -> Void) async -> CorewireError.Code? {
            do throws(CorewireError) {
                try await work()
                return nil
            } catch { return error.code }
        }
        #expect(
            await code { () throws(CorewireError) in _ = try await sync.query("None", as: [String: Int].self) }
                == .noSuchOperation
        )
        #expect(
            await code { () throws(CorewireError) in
                _ = try await sync.query("OneNode", variables: ["id": [1]], as: [String: Int].self)
            } == .invalidDocument
        )
        #expect(
            await code { () throws(CorewireError) in
                _ = try await sync.query("OneNode", variables: ["id": "1"], as: [String: Int].self)
            } == .malformed
        )
        #expect(
            await code { () throws(CorewireError) in
                _ = try await sync.query(GraphQL.OneNodeQuery(id: "2"), policy: .cacheOnly)
            } == .notStored
        )
        try program.write(sections: "persistence: {}")
        _ = try await program.corewire.reload()
        #expect(
            await code { () throws(CorewireError) in try await sync.refetch(GraphQL.EverythingQuery()) }
                == .noService
        )
        await program.stop()
        #expect(
            await code { () throws(CorewireError) in try await sync.refetch(GraphQL.EverythingQuery()) }
                == .stopped
        )
    }
}
