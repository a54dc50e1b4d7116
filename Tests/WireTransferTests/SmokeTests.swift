import ClientConformance
import Testing
import WireBase
import WireHTTP
import WireTransfer

@Suite("Transfers")
struct SmokeTests {
    @Test("a request goes over TCP and over a Unix socket")
    func bothWays() async throws {
        let server = try await HostileServer.start()
        let client = try TransferClient()
        var request = OutgoingRequest(.get, server.base + "/hello")
        let first = try await client.send(request)
        #expect(first.status == .ok)
        #expect(try await first.body.collect(upTo: .kibibytes(1)) == Array("hello".utf8))
        request.url = "http://localhost/hello"
        request.socket = server.socket
        let second = try await client.send(request)
        #expect(try await second.body.collect(upTo: .kibibytes(1)) == Array("hello".utf8))
        await client.stop()
        #expect(client.counts.transfers == 0)
    }
}
