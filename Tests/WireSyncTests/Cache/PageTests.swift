import Testing
import WireConfig
import WireSync

@Suite("Paginated lists")
struct PageTests {
    private static let relay = RecordRules(pages: ["Query.tasks": .relay])
    private static let connection = """
        query($after: String, $first: Int) {
          tasks(first: $first, after: $after, done: true) {
            edges { cursor node { id } } pageInfo { hasNextPage endCursor startCursor }
          }
        }
        """

    private func page(_ ids: [Int], more: Bool) -> String {
        let edges = ids.map { #"{"cursor":"c\#($0)","node":{"__typename":"Task","id":"\#($0)"}}"# }
        return """
            {"tasks":{"edges":[\(edges.joined(separator: ","))],"pageInfo":{"hasNextPage":\(more),\
            "endCursor":"c\(ids.last ?? 0)","startCursor":"c\(ids.first ?? 0)"}}}
            """
    }

    private func ids(_ records: Records, _ pages: Denormalizer.Pages = .all) throws -> [String] {
        let data = try records.answer(Self.connection, #"{"first":2}"#, rules: Self.relay, pages: pages).data
        return (data["tasks"]?["edges"]?.array ?? []).compactMap { $0["node"]?["id"]?.string }
    }

    private func write(_ records: inout Records, _ ids: [Int], after: Int? = nil, more: Bool, at time: Int64 = 1) throws
    {
        let variables = after.map { #"{"first":2,"after":"c\#($0)"}"# } ?? #"{"first":2}"#
        try records.write(Self.connection, page(ids, more: more), variables, rules: Self.relay, at: time)
    }

    @Test("the pages of a connection form one list from the first, and each page remains readable")
    func connection() throws {
        var records = Records()
        try write(&records, [1, 2], more: true)
        try write(&records, [5], after: 4, more: false)
        // The page between is not known: nothing is put in an order that no server has given.
        #expect(try ids(records) == ["1", "2"])
        try write(&records, [3, 4], after: 2, more: true)
        #expect(try ids(records) == ["1", "2", "3", "4", "5"])
        #expect(try ids(records, .asked) == ["1", "2"])
        let all = try records.answer(Self.connection, #"{"first":2}"#, rules: Self.relay, pages: .all)
        #expect(
            all.data["tasks"]?["pageInfo"]?.text() == #"{"hasNextPage":false,"endCursor":"c5","startCursor":"c1"}"#
        )
        let second = try records.answer(Self.connection, #"{"first":2,"after":"c2"}"#, rules: Self.relay, pages: .all)
        #expect(second.data["tasks"]?["edges"]?.array?.count == 2)
        #expect(try records.read(Self.connection, #"{"first":9}"#, rules: Self.relay, pages: .all).hasPrefix("miss"))
    }

    @Test("a changed first page drops the former pages; an object occurs once")
    func changedConnection() throws {
        var records = Records()
        try write(&records, [1, 2], more: true)
        try write(&records, [3, 4], after: 2, more: false)
        try write(&records, [0, 1], more: true, at: 2)
        #expect(try ids(records) == ["0", "1"])
        try write(&records, [2, 3], after: 1, more: true, at: 2)
        try write(&records, [], after: 3, more: true, at: 2)
        #expect(try ids(records) == ["0", "1", "2", "3"])
    }

    @Test(
        "offset pages form one list as far as they are consecutive",
        arguments: [
            ("{ found(page: {offset: 0, limit: 2}) { items { id } } }", "items", "page.offset", "page.limit"),
            ("{ found(offset: 0, limit: 2) { id } }", nil, "offset", "limit"),
        ] as [(String, String?, String, String)]
    )
    func offsets(query: String, items: String?, offset: String, limit: String) throws {
        let rules = RecordRules(pages: ["Query.found": .offset(offset, limit: limit, items: items)])
        var records = Records()
        func write(_ ids: [Int], at offset: Int) throws {
            let list = "[" + ids.map { #"{"__typename":"T","id":\#($0)}"# }.joined(separator: ",") + "]"
            let answer = items.map { #"{"found":{"\#($0)":\#(list)}}"# } ?? #"{"found":\#(list)}"#
            try records.write(query.replacing("offset: 0", with: "offset: \(offset)"), answer, rules: rules)
        }
        func ids() throws -> [Int] {
            let found = try records.answer(query, rules: rules, pages: .all).data["found"]
            return ((items == nil ? found : found?["items"])?.array ?? []).compactMap { $0["id"]?.integer }
        }
        try write([1, 2], at: 0)
        try write([5], at: 4)
        #expect(try ids() == [1, 2])
        try write([3, 4], at: 2)
        #expect(try ids() == [1, 2, 3, 4, 5])
        try write([2], at: 0)
        #expect(try ids() == [2])
    }

    @Test("a page fetched later wakes watchers of the list")
    func watchers() throws {
        var records = Records()
        try write(&records, [1, 2], more: true)
        var dependencies = Dependencies()
        dependencies.set(
            try records.answer(Self.connection, #"{"first":2}"#, rules: Self.relay, pages: .all).keys,
            of: 1
        )
        let changed = try records.write(
            Self.connection,
            page([3], more: false),
            #"{"first":2,"after":"c2"}"#,
            rules: Self.relay
        )
        #expect(dependencies.watchers(of: changed) == [1])
    }
}
