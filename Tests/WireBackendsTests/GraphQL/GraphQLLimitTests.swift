import Foundation
import Support
import Testing
import WireBackends
import WireEmbedded
import WireBase
import WireConfig
import WireGraphQL

@Suite("Work limits of the GraphQL server", .timeLimit(.minutes(2)))
struct GraphQLLimitTests {
    /// Objects of one ward; to compare a long text costs more than a short one.
    private static let data =
        "Ward: [{ id: 3B, name: A }]\nTask:\n"
        + (1...100).map { "  - { title: \"\($0) \(String(repeating: "long ", count: 1_280))\", wardId: 3B }\n" }
        .joined()

    @Test(
        "an operation that examines too many objects ends with one error, in queries and mutations",
        arguments: [
            "{ findTasks { items { ward { tasks(filter: { FILTER }) { id } } } } }",
            "mutation { updateWard(input: { id: \"3B\", beds: 1 }) { tasks { ward { tasks(filter: { FILTER }) { id } } } } }",
        ]
    )
    func objects(query: String) async throws {
        try await GraphQLHouse.run(data: Self.data) { house in
            // 100 tasks of one ward with its 100 tasks each, and two comparisons for each of these.
            let filter = #"or: [{ title: { eq: "x" } }, { title: { eq: "y" } }]"#
            let json = try await house.send(query.replacing("FILTER", with: filter)).json
            let messages = json["errors"]?.array?.compactMap { $0["message"]?.string }
            #expect(messages == ["the operation examines more than 2000000 objects and values"])
            #expect(try await house.ask("{ findTasks { count } }") == #"{"data":{"findTasks":{"count":100}}}"#)
        }
    }

    @Test("a long 'in' filter costs no more per object than a short one")
    func longLists() async throws {
        try await GraphQLHouse.run(data: Self.data) { house in
            let ids = (0..<40_000).map { "\"none\($0)\"" }.joined(separator: ",")
            let query = "query($ids: [ID!]) { findTasks(filter: { id: { in: $ids } }) { items { id } } }"
            let found = try await house.ask(query, "{\"ids\":[\(ids),\"7\"]}")
            #expect(found == #"{"data":{"findTasks":{"items":[{"id":"7"}]}}}"#)
        }
    }

    @Test("cancelled work ends, whatever is left of its limit")
    func cancelling() async {
        let work = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            let work = ResolverWork(limit: 1_000_000)
            for _ in 0..<10_000 { try work.spend() }
        }
        await #expect(throws: ResolverWork.Ended.self) { try await work.value }
    }
}
