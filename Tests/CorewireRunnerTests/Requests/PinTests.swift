import Foundation
import Support
import Testing

/// `corewire pin`, held against what OpenSSL says of the same server.
@Suite("'corewire pin'")
struct PinTests {
    @Test("the pin equals that of OpenSSL, and the output is a valid list for the services file")
    func pin() throws {
        let authority = try Authority()
        let server = try TestServer(certificate: try authority.certificate(for: "localhost", in: "one"))
        let run = try Program.corewire(
            ["pin", "localhost:\(server.port)"],
            environment: ["SSL_CERT_FILE": authority.file]
        )
        let expected = try Self.opensslPin(of: server.port)
        #expect(try expected == authority.pin(of: "one"))
        #expect(run.status == 0 && run.errors.isEmpty, "\(run.everything)")
        #expect(
            run.output == """
                # localhost at port \(server.port): trusted by this machine
                # its own key: localhost, 2020-01-01 to 2049-12-31
                - { host: localhost, sha256: "\(expected)", expires: 2049-12-31 }
                # Add the pin of a backup key that is kept offline.

                """
        )
        // Pasted into a file it is what it says.
        let folder = try TemporaryFolder()
        let pins = run.output.split(separator: "\n").map { "    \($0)\n" }.joined()
        try folder.write("version: 1\napp: { id: com.example.tasks }\nnetwork:\n  pins:\n\(pins)", to: "a.yaml")
        let check = try Program.corewire(["validate-config", "a.yaml"], in: folder.url)
        #expect(check.status == 0 && check.everything.contains("CW1106"), "\(check.everything)")
        // Nothing was sent.
        #expect(try server.log.isEmpty)
    }

    @Test("issuers are printed with their pins, in the order of the chain")
    func chain() throws {
        let authority = try Authority()
        let file = try authority.certificate(for: "localhost", in: "one")
        let both =
            try String(contentsOfFile: file, encoding: .utf8) + String(contentsOfFile: authority.file, encoding: .utf8)
        try authority.folder.write(both, to: "both")
        let server = try TestServer(certificate: authority.path("both"))
        let run = try Program.corewire(
            ["pin", "localhost:\(server.port)", "--format", "json"],
            environment: ["SSL_CERT_FILE": authority.file]
        )
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any],
            "\(run.everything)"
        )
        let chain = try #require(json["certificates"] as? [[String: Any]])
        #expect(json["trusted"] as? Bool == true && json["port"] as? Int == server.port)
        #expect(chain.map { $0["role"] as? String } == ["own", "issuer"])
        #expect(chain[0]["names"] as? [String] == ["localhost"])
        #expect(try chain[1]["sha256"] as? String == authority.pin(of: "ca"))
        #expect((chain[1]["subject"] as? String)?.contains("Test authority") == true)
        let text = try Program.corewire(
            ["pin", "localhost:\(server.port)"],
            environment: ["SSL_CERT_FILE": authority.file]
        ).output
        #expect(text.contains("# its issuer: Test authority, "))
        #expect(try text.contains(authority.pin(of: "ca")))
    }

    @Test(
        "an untrusted certificate is printed with a warning",
        arguments: ["unknown", "expired", "other"]
    )
    func untrusted(kind: String) throws {
        let authority = try Authority()
        let certificate =
            switch kind {
            case "expired": try authority.certificate(for: "localhost", in: "one", until: "20210101000000Z")
            case "other": try authority.certificate(for: "other.example.com", in: "one")
            default: try authority.certificate(for: "localhost", in: "one")
            }
        let server = try TestServer(certificate: certificate)
        let run = try Program.corewire(
            ["pin", "https://localhost:\(server.port)/"],
            environment: kind == "unknown" ? [:] : ["SSL_CERT_FILE": authority.file]
        )
        #expect(run.status == 0 && run.output.contains(": not trusted by this machine\n"))
        #expect(try run.output.contains(authority.pin(of: "one")))
        #expect(
            run.errors.hasPrefix("warning: the certificate of https://localhost:\(server.port) cannot be trusted: ")
        )
    }

    @Test("errors distinguish a port without TLS, a closed port, an unknown host and a timeout")
    func failures() throws {
        let plain = try TestServer()
        func run(_ words: String...) throws -> Run { try Program.corewire(["pin"] + words) }
        let notTLS = try run("localhost:\(plain.port)")
        #expect(notTLS.status == 1)
        #expect(notTLS.errors.hasPrefix("error: the server at https://localhost:\(plain.port) does not use TLS\n"))
        let nobody = try run("localhost:1")
        #expect(nobody.status == 1 && nobody.errors == "error: no server listens at https://localhost:1\n")
        let unknown = try run("server.invalid")
        #expect(unknown.status == 1 && unknown.errors == "error: the host 'server.invalid' has no address\n")
        let silent = try SilentPort()
        let late = try run("127.0.0.1:\(silent.port)", "--timeout", "300ms")
        #expect(late.status == 1 && late.errors.contains("did not show a certificate within 0.3 seconds"))
        for words in [["http://localhost"], ["a b"], ["localhost/path"], ["localhost:0"], []] {
            #expect(try Program.corewire(["pin"] + words).status == 64, "\(words)")
        }
    }

    private static func opensslPin(of port: Int) throws -> String {
        let script = """
            openssl s_client -connect localhost:\(port) -servername localhost </dev/null 2>/dev/null \
            | openssl x509 -pubkey -noout | openssl pkey -pubin -outform der \
            | openssl dgst -sha256 -binary | base64 -w0
            """
        return try Program.run("sh", ["-c", script]).output
    }
}

/// A port that takes connections and says nothing.
private final class SilentPort {
    let port: Int
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size) | listen(descriptor, 8) | getsockname(descriptor, $0, &size)
            }
        }
        try #require(result == 0)
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    deinit { close(descriptor) }
}
