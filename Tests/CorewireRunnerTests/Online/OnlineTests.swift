import Foundation
import Support
import Testing

/// How the questions are asked, and how what comes of them is told.
@Suite("validate-config --online")
struct OnlineTests {
    private static let file = IssuerFindingsTests.file()

    @Test("a hanging server is reported, and does not block the command")
    func hanging() throws {
        let server = try TestServer(#"{"all": "hang"}"#)
        let checkup = try OnlineCheckup(Self.file, base: "http://127.0.0.1:\(server.port)", port: server.port)
        let begin = ContinuousClock.now
        let run = try checkup.run("--online-timeout", "1s")
        #expect(run.status == 1)
        // Far more than it may take, and less than anything else would end it in.
        #expect(ContinuousClock.now - begin < .seconds(25))
        try OnlineCheckup.expect(OnlineCheckup.settled(run.everything, port: server.port), is: "hanging")
    }

    @Test("servers that were not checked in time are reported")
    func noTime() throws {
        let server = try TestServer(#"{"all": "hang"}"#)
        // More than are asked at the same time, and none that answers.
        let names = (1...17).map { "e\($0)" }
        let text = """
            version: 1
            app: { id: com.example.tasks, name: Tasks }
            environment: e1
            environments:
            \(names.map { "  \($0): { auth: { url: BASE/\($0) } }" }.joined(separator: "\n"))
            auth: { url: BASE, redirectUri: "com.example.tasks://restore", clientId: tasks }

            """
        let checkup = try OnlineCheckup(text, base: "http://127.0.0.1:\(server.port)", port: server.port)
        let run = try checkup.run("--online-timeout", "1s")
        #expect(run.status == 1)
        let last = try #require(run.output.range(of: "error[CW0606]"))
        try OnlineCheckup.expect(
            OnlineCheckup.settled(String(run.output[last.lowerBound...]), port: server.port),
            is: "no-time"
        )
    }

    @Test("every format reports an error, a warning and a note", arguments: ["json", "sarif", "github"])
    func formats(name: String) throws {
        let server = try TestServer(
            #"{"document": {"authorization_response_iss_parameter_supported": null, "scopes_supported": ["openid"]}, "authorize": "redirect:unauthorized_client"}"#
        )
        let checkup = try OnlineCheckup(Self.file, base: "http://127.0.0.1:\(server.port)", port: server.port)
        let run = try checkup.run("--format", name)
        #expect(run.status == 1)
        try OnlineCheckup.expect(OnlineCheckup.settled(run.output, port: server.port), is: "format-\(name)")
    }

    @Test("a warning fails under --strict, a note never does, and 'allow' suppresses the warning")
    func severities() throws {
        let server = try TestServer(#"{"document": {"scopes_supported": ["openid", "profile"]}}"#)
        let base = "http://127.0.0.1:\(server.port)"
        let checkup = try OnlineCheckup(Self.file, base: base, port: server.port)
        #expect(try checkup.run().status == 0)
        #expect(try checkup.run("--strict").status == 1)
        let allowing = try OnlineCheckup(
            Self.file + "allow: { unknown-scope: the server does not list it }\n",
            base: base,
            port: server.port
        )
        #expect(try allowing.run("--strict").everything == "a.yaml: valid in 1 environment (dev)\n")
        let plain = try Program.corewire(["validate-config", "a.yaml", "--strict"], in: allowing.folder.url)
        #expect(plain.everything == "a.yaml: valid in 1 environment (dev)\n")
        let noting = try TestServer(#"{"authorize": "page"}"#)
        let noted = try OnlineCheckup(Self.file, base: "http://127.0.0.1:\(noting.port)", port: noting.port)
        #expect(try noted.run("--strict").status == 0)
    }

    @Test("only the environment of --env is checked, and an embedded one has no servers to check")
    func environments() throws {
        let server = try TestServer()
        let text = """
            version: 1
            app: { id: com.example.tasks, name: Tasks }
            environment: dev
            environments:
              dev: { backend: embedded }
              prod: { baseUrl: BASE }
            auth:
              url: BASE
              redirectUri: com.example.tasks://restore
              clientIds: { dev: tasks-dev, prod: tasks }

            """
        let checkup = try OnlineCheckup(text, base: "http://127.0.0.1:\(server.port)", port: server.port)
        #expect(try checkup.run("--env", "dev").status == 0)
        #expect(try server.questions.isEmpty)
        #expect(try checkup.run("--env", "prod", "--strict").status == 0)
        #expect(try server.questions.count == 3)
    }

    @Test("a URL from an unresolved reference is skipped with a note, and checked if resolved")
    func references() throws {
        let server = try TestServer()
        let base = "http://127.0.0.1:\(server.port)"
        let text = Self.file.replacingOccurrences(of: "  url: BASE", with: "  url: ${env:ISSUER}")
        let checkup = try OnlineCheckup(text, base: base, port: server.port)
        let unset = try checkup.run("--strict")
        #expect(unset.status == 0)
        try OnlineCheckup.expect(OnlineCheckup.settled(unset.everything, port: server.port), is: "reference")
        #expect(try server.questions.isEmpty)
        let set = try checkup.run("--strict", environment: ["ISSUER": base])
        #expect(set.everything == "a.yaml: valid in 1 environment (dev)\n")
        #expect(try server.questions.count == 3)
        let local = try checkup.run("--local")
        #expect(local.output.contains("CW0305") && !local.output.contains("CW0605"), "\(local.output)")
    }

    @Test("problems of the file are reported with those of the servers, and their servers are not checked")
    func together() throws {
        let server = try TestServer(#"{"all": "away"}"#)
        let text = Self.file.replacingOccurrences(
            of: "  url: BASE",
            with: "  url: BASE\n  realmm: tasks\n  flow: brwser"
        )
        let checkup = try OnlineCheckup(text, base: "http://127.0.0.1:\(server.port)", port: server.port)
        let run = try checkup.run()
        #expect(run.status == 1 && run.output.contains("CW0203") && !run.output.contains("CW10"))
        #expect(try server.questions.isEmpty)
    }

    @Test("nothing is written")
    func readOnly() throws {
        let authority = try Authority()
        let server = try TestServer(certificate: try authority.certificate(for: "localhost", in: "one"))
        let base = "https://localhost:\(server.port)"
        let checkup = try OnlineCheckup(Self.file, base: base, port: server.port)
        let trace = try TemporaryFolder()
        let before = try FileManager.default.contentsOfDirectory(atPath: checkup.folder.url.path)
        let run = try Program.run(
            "strace",
            [
                "-f", "-e", "trace=file,desc,network,process", "-o", trace.url.appendingPathComponent("trace").path,
                Program.corewire, "validate-config", "a.yaml", "--online", "--strict",
            ],
            in: checkup.folder.url,
            environment: ["SSL_CERT_FILE": authority.file, "SWIFT_BACKTRACE": "enable=no"]
        )
        #expect(run.everything.hasSuffix("a.yaml: valid in 1 environment (dev)\n"), "\(run.everything)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: checkup.folder.url.path) == before)
        let calls = try trace.text(of: "trace").split(separator: "\n").map { $0.drop { $0.isNumber || $0 == " " } }
        // The name of a thread is kept where it is no file.
        let opened = calls.filter {
            $0.hasPrefix("open") && !$0.contains("\"/dev/") && !$0.contains("\"/proc/thread-self/comm\"")
        }
        #expect(!opened.isEmpty && opened.contains { $0.contains("\"a.yaml\"") })
        for call in opened {
            #expect(
                !["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"].contains { call.contains($0) },
                "\(call)"
            )
        }
        let forbidden = [
            "bind", "listen", "unlink", "rename", "mkdir", "chmod", "fchmod", "truncate", "ftruncate", "link",
            "symlink",
            "utime", "creat",
        ]
        for call in calls {
            let name = call.prefix { $0 != "(" }
            // The resolver binds the socket it asks the kernel for addresses with.
            #expect(!forbidden.contains { name.hasPrefix($0) } || call.contains("AF_NETLINK"), "\(call)")
        }
    }

    @Test("an option without effect is rejected")
    func usage() throws {
        let checkup = try OnlineCheckup(Self.file, base: "http://127.0.0.1:1", port: 1)
        let folder = checkup.folder.url
        let alone = try Program.corewire(["validate-config", "a.yaml", "--online-timeout", "1s"], in: folder)
        #expect(alone.status == 64 && alone.errors.contains("--online-timeout requires --online"))
        for (text, words) in [("0s", "must be 1s to 1h"), ("2h", "must be 1s to 1h"), ("soon", "takes a duration")] {
            let run = try checkup.run("--online-timeout", text)
            #expect(run.status == 64 && run.errors.contains("--online-timeout \(words)"), "\(run.errors)")
        }
        #expect(try checkup.run("--env", "nowhere").status == 64)
        #expect(try Program.corewire(["validate-config", "none.yaml", "--online"], in: folder).status == 66)
    }
}
