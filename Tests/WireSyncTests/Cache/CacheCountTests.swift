import Testing
import WireBase
import WireGraphQL
import WireStore
import WireSync

@Suite("Counting cached records")
struct CacheCountTests {
    @Test(
        "records are counted by type, encrypted ones included, and none remain after clearing",
        arguments: [false, true]
    )
    func byType(isSealed: Bool) async throws {
        let bench = try CacheBench()
        let cache = bench.cache { $0.isSealed = isSealed }
        let question = question("{ tasks { id title } owner { name } }")
        let answer = """
            {"tasks":[{"__typename":"Task","id":"1","title":"a"},{"__typename":"Task","id":"2","title":"b"}],
            "owner":{"__typename":"Person","name":"Ada"}}
            """
        try await cache.write(try json(answer), to: question)
        #expect(try cache.recordsByType() == ["Task": 2, "Person": 1, "Query": 2])
        #expect(try cache.usage.size.bytes > 0)
        // The record that keeps what the schema was is none of them.
        let types = [Schema.NamedType(.object, "Query")]
        try await cache.adopt(Schema(types: types, directives: [], query: "Query", mutation: nil, subscription: nil))
        #expect(try cache.recordsByType() == ["Task": 2, "Person": 1, "Query": 2])
        // Nor is that with what mutations have added to lists.
        let place = LayerChange.add(RecordKey("Task", ["7"]), to: ListTarget(.every(field: "tasks", of: "Query")))
        try await cache.confirm("sent-a", nil, to: question, adding: [place])
        #expect(try cache.recordsByType() == ["Task": 2, "Person": 1, "Query": 2])
        #expect(try await cache.clear() == 5)
        #expect(try cache.recordsByType().isEmpty)
        await bench.close()
    }
}
