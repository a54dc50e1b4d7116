import Foundation
import Support
import Testing

/// What can be wrong with the certificates of the servers a file names, each with the whole text that is told.
@Suite("validate-config --online: certificates and pins")
struct CertificateFindingsTests {
    static let file = """
        version: 1
        app: { id: com.example.tasks, name: Tasks }
        environment: dev
        environments:
          dev: { baseUrl: "https://localhost:PORT/api" }
          qa: { extends: dev }
        sync: { url: graphql, authenticated: false }

        """

    @Test(
        "an untrusted certificate is reported at its URL",
        arguments: ["expired", "not-yet", "wrong-host", "self-signed", "unknown-authority", "ending"]
    )
    func certificate(name: String) throws {
        let authority = try Authority()
        func moment(_ days: Double) -> String {
            let format = DateFormatter()
            format.dateFormat = "yyyyMMddHHmmss'Z'"
            format.timeZone = TimeZone(identifier: "UTC")
            format.locale = Locale(identifier: "en_US_POSIX")
            return format.string(from: Date().addingTimeInterval(days * 86_400))
        }
        let certificate =
            switch name {
            case "expired": try authority.certificate(for: "localhost", in: "one", until: "20210101000000Z")
            case "not-yet": try authority.certificate(for: "localhost", in: "one", from: moment(30))
            case "wrong-host": try authority.certificate(for: "other.example.com", in: "one")
            case "self-signed": try authority.certificate(for: "localhost", in: "one", bySelf: true)
            case "ending": try authority.certificate(for: "localhost", in: "one", until: moment(10.5))
            default: try authority.certificate(for: "localhost", in: "one")
            }
        let server = try TestServer(certificate: certificate)
        let checkup = try OnlineCheckup(Self.file, base: "", port: server.port)
        let trust = name == "unknown-authority" ? [:] : ["SSL_CERT_FILE": authority.file]
        let run = try checkup.run(environment: trust)
        #expect(run.status == (name == "ending" ? 0 : 1))
        try OnlineCheckup.expect(
            OnlineCheckup.settled(run.everything, port: server.port),
            is: "certificate-\(name)"
        )
        // Nobody was spoken to who could not be believed.
        #expect(try name == "ending" || server.log.isEmpty)
    }

    @Test("a trusted server is contacted once for all environments, with a HEAD request")
    func good() throws {
        let authority = try Authority()
        let server = try TestServer(certificate: try authority.certificate(for: "localhost", in: "one"))
        let checkup = try OnlineCheckup(Self.file, base: "", port: server.port)
        let run = try checkup.run("--strict", environment: ["SSL_CERT_FILE": authority.file])
        #expect(run.everything == "a.yaml: valid in 2 environments (dev, qa)\n")
        #expect(try server.questions == ["HEAD /"])
    }

    @Test("the server's key must match a pin of its host", arguments: [true, false])
    func pins(isPinned: Bool) throws {
        let authority = try Authority()
        let server = try TestServer(certificate: try authority.certificate(for: "localhost", in: "one"))
        let pin = try authority.pin(of: "one")
        let hash = isPinned ? pin : "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let text =
            Self.file + """
                network:
                  pins:
                    - { host: localhost, sha256: "n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE=" }
                    - { host: localhost, sha256: "\(hash)" }

                """
        let checkup = try OnlineCheckup(text, base: "", port: server.port)
        let run = try checkup.run(environment: ["SSL_CERT_FILE": authority.file])
        #expect(run.status == (isPinned ? 0 : 1))
        guard !isPinned else {
            #expect(run.everything == "a.yaml: valid in 2 environments (dev, qa)\n")
            return
        }
        try OnlineCheckup.expect(OnlineCheckup.settled(run.everything, port: server.port, pin: pin), is: "pin")
    }

    @Test("an unreachable server is reported with the reason", arguments: ["refused", "plain", "unresolved"])
    func absent(name: String) throws {
        let server = try TestServer()
        // Nobody may listen at the port of a privileged service that is not installed.
        let port = name == "refused" ? 1 : server.port
        let text =
            name == "unresolved"
            ? Self.file.replacingOccurrences(of: "localhost:PORT", with: "server.invalid") : Self.file
        let checkup = try OnlineCheckup(text, base: "", port: port)
        let run = try checkup.run()
        #expect(run.status == 1)
        try OnlineCheckup.expect(OnlineCheckup.settled(run.everything, port: server.port), is: "absent-\(name)")
    }
}
