import Corewire
import Foundation
import Support
import Testing

@Suite("Content through the Swift API", .timeLimit(.minutes(3)))
struct ContentAPITests {
    private struct Ware: Codable, Equatable {
        var title: String
        var price: Double?
        var day: Date?
    }

    private static let sections = """
        network: { offlinePolicy: loadAndStoreLocalData }
        auth: { provider: halo, flow: password, username: ada, password: wonder, clientSecret: geheim }
        content: { modules: { wares: { name: Wares } } }
        backends:
          content: { directory: wares }
          issuer: { users: { ada: { password: wonder } } }
        """

    private static let wares = """
        module: Wares
        fields: { title: text, price: number, day: date }
        instances:
          kite: { name: Kite, values: { title: A red kite, price: 12.5, day: 2026-01-31T08:00:00Z } }
          ball: { name: Ball, values: { title: A red ball, price: 3 } }
          boat: { name: Boat, values: { title: A boat, price: 80 } }
        """

    private func program() async throws -> EmbeddedProgram {
        try await EmbeddedProgram(sections: Self.sections, files: ["wares/wares.yaml": Self.wares])
    }

    @Test("a Swift query returns matching instances in order and by pages, as the program's types")
    func search() async throws {
        let program = try await program()
        let content = program.corewire.content
        let (title, price) = (Corewire.ContentField("title"), Corewire.ContentField("price"))
        var query = Corewire.ContentQuery(module: "wares")
        query.filter = title.like("RED") && price > 2.5
        query.sort = [.descending(.name)]
        let red = try await content.search(query)
        #expect(red.items.map(\.name) == ["Kite", "Ball"] && !red.isStored)
        let day = Date(timeIntervalSince1970: 1_769_846_400)
        #expect(try red.items[0].values() == Ware(title: "A red kite", price: 12.5, day: day))

        query.filter = price < 5 || price.isIn([80])
        query.limit = 1
        query.page = 2
        let second = try await content.search(query)
        #expect(second.items.map(\.name) == ["Ball"] && second.totalItems == 2 && second.totalPages == 2)
        query.filter = try Corewire.ContentFilter(parsing: "price > 100")
        query.page = 1
        #expect(try await content.search(query).items.isEmpty)
        #expect(try await content.modules().items.map(\.name) == ["Wares"])
        let first = try await content.instance(red.items[1].id)
        #expect(first.name == "Ball")
        await program.stop()
    }

    @Test("created, changed and deleted instances are so at the server, and in the copies after the next sync")
    func changes() async throws {
        let program = try await program()
        let content = program.corewire.content
        let copied = try await content.sync("wares")
        #expect(copied.map(\.failure?.description) == [nil])
        let copies = try await content.copies()
        #expect(copies.map(\.items) == [3], "\(copies)")
        let made = try #require(
            try await content.create(in: "wares", name: "Drum", values: Ware(title: "A drum", price: 9))
        )
        try await content.update(made.id, values: Ware(title: "A loud drum", price: 9))
        #expect(try await content.instance(made.id).values(as: Ware.self).title == "A loud drum")
        #expect(try await content.sync().map(\.module) == ["wares"])

        var query = Corewire.ContentQuery(module: "wares")
        query.filter = Corewire.ContentField("title").like("drum")
        let stored = try await content.search(query, offline: .storedOnly)
        #expect(stored.isStored && stored.items.map(\.name) == ["Drum"])
        try await content.remove(made.id)
        #expect(try await content.sync().map(\.failure?.description) == [nil])
        #expect(try await content.search(query, offline: .storedOnly).items.isEmpty)
        await program.stop()
    }

    @Test("invalid, missing, mistyped or unavailable content is reported as such")
    func refusals() async throws {
        let program = try await program()
        let content = program.corewire.content
        await fails(.invalid) { try Corewire.ContentFilter(parsing: "price >") }
        var query = Corewire.ContentQuery(module: "wares")
        query.page = 0
        await fails(.invalid) { try await content.search(query) }
        await fails(.noSuchInstance) { try await content.instance("507f1f77bcf86cd799439011") }
        query.page = 1
        let kite = try #require(try await content.search(query).items.first)
        await fails(.malformed) { try kite.values(as: [Int].self) }
        await fails(.notStored) {
            try await content.search(Corewire.ContentQuery(module: "Others"), offline: .storedOnly)
        }
        try program.write(sections: "")
        try await program.corewire.reload()
        let none = await fails(.noService) { try await content.search(query) }
        #expect(none?.help == "add the section 'content'")
        await program.stop()
        await fails(.stopped) { try await content.copies() }
    }

    @discardableResult
    private func fails<Value>(_ code: CorewireError.Code, _ work: () async throws -> Value) async
        -> CorewireError?
    {
        let error = await #expect(throws: CorewireError.self) { _ = try await work() }
        #expect(error?.code == code, "\(String(describing: error))")
        return error
    }
}
