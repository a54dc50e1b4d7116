import ClientConformance
import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireTransfer

@Suite("Transfers under the rules of the file")
struct RuledTests {
    let clock = HandClock()
    let authority: Authority

    init() throws { authority = try Authority() }

    private func client(_ rules: TrafficRules) -> any HTTPClient {
        var options = TransferOptions()
        options.authorities = authority.file
        return ClientPool(options, clock: clock.clockwork).client { rules }
    }

    private func rules(_ change: (inout TrafficRules) throws -> Void) rethrows -> TrafficRules {
        var rules = TrafficRules()
        try change(&rules)
        return rules
    }

    private func server() async throws -> (server: HostileServer, request: OutgoingRequest) {
        let server = try await HostileServer.start(certificate: authority.certificate(for: "localhost", in: "server"))
        return (server, OutgoingRequest(.get, "https://localhost:\(try #require(server.securePort))/hello"))
    }

    private func pin(_ host: String, _ sha256: String, until day: String? = nil) throws -> TrafficRules.Pin {
        TrafficRules.Pin(host: try Host(parsing: host), sha256: sha256, lastDay: day)
    }

    @Test("a pinned host must have a pinned key, whatever the caller sets")
    func pins() async throws {
        let (server, request) = try await server()
        _ = try authority.certificate(for: "localhost", in: "other")
        let other = try authority.pin(of: "other")
        let right = try authority.pin(of: "server")
        let pinned = try client(rules { $0.pins = [try pin("localhost", other), try pin("localhost", right)] })
        #expect(try await pinned.text(request).text == "hello")
        let wrong = try client(rules { $0.pins = [try pin("localhost", other)] })
        var own = request
        own.pins = [right]
        #expect(try await wrong.failure(of: own).kind == .pin)
        let elsewhere = try client(rules { $0.pins = [try pin("*.example.com", other)] })
        #expect(try await elsewhere.text(request).text == "hello")
        withExtendedLifetime(server) {}
    }

    @Test("the client certificate of a host is presented to it, and to no other host")
    func certificates() async throws {
        let nginx = try Nginx(
            authority,
            certificates: ["server": authority.certificate(for: "localhost", in: "server")]
        )
        var request = OutgoingRequest(.get, "https://localhost/client")
        request.socket = nginx.path("server")
        let whole = ClientCertificate(path: try authority.certificate(for: "kiosk", in: "kiosk"), key: nil)
        let single = ClientCertificate(
            path: authority.path("kiosk.crt"),
            key: Secret(try String(contentsOfFile: authority.path("kiosk.key"), encoding: .utf8))
        )
        let (here, others) = (try Host(parsing: "localhost"), try Host(parsing: "*.example.com"))
        for certificate in [whole, single] {
            let known = client(rules { $0.certificates = [(others, certificate), (here, certificate)] })
            #expect(try await known.text(request).text == "SUCCESS CN=kiosk")
            let other = client(rules { $0.certificates = [(others, certificate)] })
            #expect(try await other.text(request).text == "NONE ")
        }
        // Without a passphrase, which nothing may ask for, an encrypted key cannot be used.
        let encrypt = ["pkey", "-in", authority.path("kiosk.key"), "-aes256", "-passout", "pass:x"]
        let encrypted = try Program.run("openssl", encrypt).output
        #expect(encrypted.contains("ENCRYPTED"))
        // A key of another certificate, and a missing file.
        _ = try authority.certificate(for: "other", in: "other")
        let foreign = ClientCertificate(path: authority.path("kiosk.crt"), key: Secret("no key"))
        let missing = ClientCertificate(path: authority.path("missing.pem"), key: nil)
        let locked = ClientCertificate(path: authority.path("kiosk.crt"), key: Secret(encrypted))
        let empty = ClientCertificate(path: authority.path("kiosk.key"), key: nil)
        let key = "the private key is missing, has a passphrase"
        for (certificate, reason) in [
            (foreign, key), (locked, key), (missing, "no such file"), (empty, "the file has no certificate in PEM"),
        ] {
            let failure = try await client(rules { $0.certificates = [(here, certificate)] }).failure(of: request)
            #expect(failure.kind == .tls)
            #expect(failure.reason.contains("client certificate"), "\(failure.reason)")
            #expect(failure.reason.contains(" cannot be used: \(reason)"), "\(failure.reason)")
            #expect(!failure.reason.contains("no key"))
        }
    }

    @Test("an expired pin is replaced by a valid one, by the clock and in UTC")
    func expiry() async throws {
        let (server, request) = try await server()
        _ = try authority.certificate(for: "localhost", in: "other")
        let (other, right) = try (authority.pin(of: "other"), authority.pin(of: "server"))
        let pinned = try client(
            rules {
                $0.pins = [
                    try pin("localhost", right, until: "2026-02-27"), try pin("localhost", other, until: "2026-02-28"),
                ]
            }
        )
        // The last millisecond of the 28th, on which the key of the server holds no longer beside the other.
        #expect(try await pinned.failure(of: request).kind == .pin)
        // Where all are past their last day, all hold.
        clock.pass(.milliseconds(1))
        #expect(try await pinned.text(request).text == "hello")
        withExtendedLifetime(server) {}
    }

    @Test("only declared hosts are used without TLS, whatever the caller sets")
    func plain() async throws {
        var request = OutgoingRequest(.get, "http://printer.test/")
        request.allowsPlainText = true
        let failure = try await client(TrafficRules()).failure(of: request)
        #expect(failure.kind == .forbidden && failure.wasNotSent)
        let declared = try client(rules { $0.plainHosts = [try Host(parsing: "printer.test")] })
        #expect(try await declared.failure(of: request).kind == .unresolved)
    }

    @Test("everything except this machine uses the declared proxy")
    func proxy() async throws {
        let server = try await HostileServer.start(
            certificate: authority.certificate(for: "service.test", in: "service")
        )
        let address = try WebURL(parsing: server.proxy)
        let proxied = client(rules { $0.proxy = .through(address, login: nil) })
        let place = "service.test:\(try #require(server.securePort))"
        #expect(try await proxied.text(OutgoingRequest(.get, "https://\(place)/hello")).text == "hello")
        #expect(try await server.events("proxy") == ["proxy CONNECT \(place) clean"])
        #expect(try await proxied.text(server.get("/hello")).text == "hello")
        #expect(try await server.events("proxy").count == 1)
        let direct = client(rules { $0.proxy = .none })
        #expect(try await direct.failure(of: OutgoingRequest(.get, "https://\(place)/hello")).kind == .unresolved)
    }

    @Test("without a proxy setting that of the environment applies, except for its exceptions")
    func proxyOfEnvironment() async throws {
        let server = try await HostileServer.start(
            certificate: authority.certificate(for: "service.test", in: "service")
        )
        let request = OutgoingRequest(.get, "https://service.test:\(try #require(server.securePort))/hello")
        func client(_ exceptions: String, _ rules: TrafficRules = TrafficRules()) -> any HTTPClient {
            var options = TransferOptions()
            options.authorities = authority.file
            options.proxies = Proxies { ["https_proxy": server.proxy, "no_proxy": exceptions][$0] }
            return ClientPool(options, clock: clock.clockwork).client { rules }
        }
        for exceptions in ["", "other.test, ervice.test,10.0.0.0/8", "a.service.test"] {
            #expect(try await client(exceptions).text(request).text == "hello", "\(exceptions)")
        }
        let through = try await server.events("proxy").count
        for exceptions in ["*", "other.test,service.test", ".test", "*.test", "TEST"] {
            #expect(try await client(exceptions).failure(of: request).kind == .unresolved, "\(exceptions)")
        }
        #expect(try await client("", rules { $0.proxy = .none }).failure(of: request).kind == .unresolved)
        // What goes straight is judged as without a proxy.
        let metadata = OutgoingRequest(.get, "https://169.254.169.254/")
        #expect(try await client("169.254.0.0/16").failure(of: metadata).kind == .forbidden)
        #expect(try await server.events("proxy").count == through)
    }

    @Test(
        "a request counts as leaving the machine, unless its server or proxy is local",
        arguments: [
            ("https://api.example.com/a", nil, true), ("http://127.0.0.1:1/a", nil, false),
            ("https://localhost/a", nil, false), ("https://api.example.com/a", "http://127.0.0.1:3128", false),
            ("https://api.example.com/a", "localhost:3128", false),
            ("https://api.example.com/a", "http://proxy.example.com:3128", true),
            ("http://api.example.com/a", "http://127.0.0.1:3128", true),
        ]
    )
    func leaving(url: String, proxy: String?, leaves: Bool) throws {
        var options = TransferOptions()
        options.proxies = Proxies { ["https_proxy": proxy][$0] ?? nil }
        let traffic = ClientPool(options, clock: clock.clockwork)
        #expect(traffic.client { TrafficRules() }.leavesMachine(to: url) == leaves)
        let own = try rules { $0.proxy = .through(try WebURL(parsing: "http://127.0.0.1:1"), login: nil) }
        #expect(!traffic.client { own }.leavesMachine(to: url))
    }

    @Test(
        "link-local and metadata addresses require a declaration",
        arguments: [
            "169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "100.100.100.200", "metadata.google.internal",
            "[fd00:ec2::254]",
        ]
    )
    func metadata(host: String) async throws {
        let request = OutgoingRequest(.get, "https://\(host)/latest")
        for proxy in [nil, "http://127.0.0.1:9"] {
            let rules = try rules {
                $0.proxy = try proxy.map { .through(try WebURL(parsing: $0), login: nil) } ?? .none
            }
            let failure = try await client(rules).failure(of: request)
            #expect(failure.kind == .forbidden && failure.wasNotSent, "\(failure)")
        }
        let declared = client(
            rules {
                $0.declaredHosts = [String(host.filter { $0 != "[" && $0 != "]" })]
                $0.connectTimeout = .milliseconds(50)
            }
        )
        #expect(try await declared.failure(of: request).kind != .forbidden)
    }

    @Test("changed rules apply from the next request")
    func change() async throws {
        let (server, request) = try await server()
        _ = try authority.certificate(for: "localhost", in: "other")
        let wrong = try pin("localhost", authority.pin(of: "other"))
        let present = Changing()
        let client = {
            var options = TransferOptions()
            options.authorities = authority.file
            return ClientPool(options, clock: clock.clockwork).client { present.rules }
        }()
        #expect(try await client.text(request).text == "hello")
        present.pin(wrong)
        #expect(try await client.failure(of: request).kind == .pin)
        withExtendedLifetime(server) {}
    }
}

private final class Changing: Sendable {
    private let held = Mutex(TrafficRules())
    var rules: TrafficRules { held.withLock { $0 } }
    func pin(_ pin: TrafficRules.Pin) { held.withLock { $0.pins = [pin] } }
}
