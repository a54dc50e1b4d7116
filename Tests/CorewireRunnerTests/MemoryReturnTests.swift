import Foundation
import Support
import Testing

@Suite("Memory of a runner after a burst of connections", .timeLimit(.minutes(2)))
struct MemoryReturnTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        persistence: { namespaces: { n: {} } }
        api: { limits: { connections: 300, connectionsPerUser: 300 } }
        """
    private static let size = 100_000

    @Test("what 250 requests at once took is given back to the system once they have ended")
    func burst() async throws {
        let runner = try await RunningRunner(Self.file)
        let idle = try Self.memory(of: runner)
        var clients: [RawClient] = []
        for number in 0..<250 {
            let head = "PUT /v1/state/n/k\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: \(Self.size)\r\n\r\n"
            let client = try await runner.connect(sending: head)
            try await client.send([UInt8](repeating: UInt8(ascii: "x"), count: Self.size - 1))
            clients.append(client)
        }
        #expect(await eventually { (try? Self.memory(of: runner) > idle + 250 * Self.size) == true })
        let held = try Self.memory(of: runner) - idle
        for client in clients { try await client.send("x") }
        for client in clients {
            #expect(try await client.answer().status == 201)
            try await client.close()
        }
        #expect(await eventually { (try? Self.memory(of: runner) - idle < held / 4) == true }, "\(held) were held")
        try await runner.stop()
    }

    /// The resident memory in bytes, without what is mapped from files.
    private static func memory(of runner: RunningRunner) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(runner.program.id)/statm", encoding: .utf8)
        let pages = text.split(separator: " ").compactMap { Int($0) }
        return try #require(pages.count > 2 ? pages[1] - pages[2] : nil) * 4_096
    }
}
