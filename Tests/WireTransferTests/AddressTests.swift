import ClientConformance
import Testing
import WireBase
import WireHTTP
import WireTransfer

@Suite("Allowed addresses")
struct AddressTests {
    @Test(
        "special-purpose addresses are not public",
        arguments: [
            "127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254",
            "0.0.0.0",
            "100.64.0.1", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "::", "::1", "fe80::1", "fc00::1",
            "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::", "::127.0.0.1", "2001:db8::1", "fec0::1",
            // The other ranges, and where they end.
            "0.255.255.255", "10.255.255.255", "100.127.255.255", "127.255.255.255", "192.0.0.255", "192.0.2.255",
            "192.88.99.1", "192.168.255.255", "198.19.255.255", "198.51.100.1", "203.0.113.1", "239.255.255.255",
            "240.0.0.1", "64:ff9b:1::1", "100::1", "2001::1", "2001:1ff::1", "3fff::1", "3fff:fff::1", "fdff::1",
            "febf::1", "feff::1",
        ]
    )
    func reserved(text: String) throws {
        #expect(try !#require(RemoteAddress(text)).isPublic)
    }

    @Test(
        "Internet addresses are public",
        arguments: [
            "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101",
            // Those next to what is not.
            "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "126.255.255.255", "128.0.0.0", "169.253.255.255",
            "169.255.0.0", "172.15.255.255", "192.0.1.0", "192.0.3.0", "192.88.98.255", "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255", "198.20.0.0", "198.51.101.0", "203.0.114.0", "223.255.255.255", "64:ff9b:2::1",
            "100:0:0:1::1", "2001:200::1", "2001:db9::1", "2002:101:101::", "3fff:1000::1", "fbff::1", "fe00::1",
        ]
    )
    func open(text: String) throws {
        #expect(try #require(RemoteAddress(text)).isPublic)
    }

    @Test("an address is parsed in every notation, and invalid ones are rejected")
    func texts() {
        #expect(RemoteAddress("::ffff:7f00:1")?.description == "127.0.0.1")
        #expect(RemoteAddress("FE80:0::1")?.description == "fe80::1")
        #expect(RemoteAddress("localhost") == nil && RemoteAddress("127.1") == nil && RemoteAddress("") == nil)
        #expect(RemoteAddress("127.9.9.9")?.isLoopback == true && RemoteAddress("128.0.0.1")?.isLoopback == false)
    }

    @Test("a host that resolves to a forbidden address is rejected", arguments: ["localhost", "127.0.0.1"])
    func refused(host: String) async throws {
        let server = try await HostileServer.start()
        var options = TransferOptions()
        options.allowsAddress = { $0.isPublic }
        let client = try TransferClient(options)
        let failure = try await client.failure(
            of: OutgoingRequest(.get, server.base.replacing("127.0.0.1", with: host) + "/hello?token=secret")
        )
        #expect(failure.kind == .forbidden && failure.wasNotSent)
        #expect(failure.reason.hasSuffix(", which is not allowed") && !failure.reason.contains("secret"))
        #expect(try await server.events("connection").isEmpty)
        var request = OutgoingRequest(.get, "http://localhost/hello")
        request.socket = server.socket
        #expect(try await client.text(request).text == "hello", "a socket is no address")
    }

    @Test("a redirect to a forbidden address is rejected")
    func redirected() async throws {
        let server = try await HostileServer.start()
        var options = TransferOptions()
        options.allowsAddress = { $0.description == "127.0.0.1" }
        let client = try TransferClient(options)
        var request = server.get("/redirect", ["to": server.base.replacing("127.0.0.1", with: "127.0.0.2") + "/hello"])
        request.redirects = .anywhere(upTo: 3)
        let failure = try await client.failure(of: request)
        #expect(failure.kind == .forbidden && !failure.wasNotSent)
    }
}
