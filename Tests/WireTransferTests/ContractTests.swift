import ClientConformance
import Testing
import WireTransfer

@Suite("A transfer client as a client", .serialized)
struct ContractTests {
    @Test("every rule of clients holds", arguments: ClientConformance.all)
    func holds(rule: ClientConformance) async throws {
        let server = try await HostileServer.start()
        let client = try TransferClient()
        try await rule.check(client, server)
        await client.stop()
        #expect(client.counts.transfers == 0)
        #expect(try await server.events("trouble") == [])
    }
}
