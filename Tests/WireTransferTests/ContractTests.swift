import ClientConformance
import Testing
import WireTransfer

@Suite("Conformance of the transfer client", .serialized)
struct ContractTests {
    @Test("the client passes every rule", arguments: ClientConformance.all)
    func holds(rule: ClientConformance) async throws {
        let server = try await HostileServer.start()
        let client = try TransferClient()
        try await rule.check(client, server)
        await client.stop()
        #expect(client.counts.transfers == 0)
        #expect(try await server.events("trouble") == [])
    }
}
