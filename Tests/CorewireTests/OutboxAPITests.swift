import Corewire
import Foundation
import Support
import Testing

@Suite("The outbox through the Swift API")
struct OutboxAPITests {
    private struct Order: Codable {
        var item: String
    }

    private static let sections = "network: {}\nbackground: { queue: { maxRequests: 2 } }\n"

    @Test("a request is accepted once, as over the socket, and can be followed")
    func shared() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let outbox = program.corewire.outbox
        try await outbox.pause()
        let receipt = try await outbox.post(json: Order(item: "milk"), to: "/orders", lane: "ada", id: "o-1")
        #expect(receipt.isNew && receipt.id == "o-1")
        let again = try await program.ask(
            "POST",
            "/v1/outbox",
            ["Content-Type: application/json"],
            text: #"{"path":"/x","id":"o-1"}"#
        )
        #expect(again.status == 200)
        let entry = try #require(try await outbox.find("o-1"))
        #expect(entry.state == .waiting && entry.path == "/orders" && entry.lane == "ada" && entry.service == "app")
        let list = try await outbox.list(lane: "ada")
        #expect(list.isPaused && list.requests.map(\.id) == ["o-1"] && list.waiting == 1 && list.next == nil)
        #expect(try await outbox.retry("o-1"))
        #expect(try await outbox.remove("o-1"))
        #expect(try await !outbox.remove("o-1"))
        #expect(try await outbox.find("o-1")?.state == .dropped)
        #expect(try await outbox.find("o-2") == nil)
        await program.stop()
    }

    @Test("a rejection reports its kind, and the setting that causes it")
    func refusals() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let outbox = program.corewire.outbox
        try await outbox.pause()
        for _ in 0..<2 { try await outbox.post(Corewire.Outbox.Request(to: "/x")) }
        let full = await #expect(throws: CorewireError.self) {
            try await outbox.post(Corewire.Outbox.Request(to: "/x"))
        }
        #expect(full?.code == .full && full?.setting?.path == "background.queue.maxRequests")
        let invalid = await #expect(throws: CorewireError.self) {
            try await outbox.post(Corewire.Outbox.Request("GET", to: "/x"))
        }
        #expect(invalid?.code == .invalid)
        try program.write(sections: "persistence: {}")
        _ = try await program.corewire.reload()
        let missing = await #expect(throws: CorewireError.self) { try await outbox.list() }
        #expect(missing?.code == .noService)
        await program.stop()
        let stopped = await #expect(throws: CorewireError.self) { try await outbox.list() }
        #expect(stopped?.code == .stopped)
    }
}
