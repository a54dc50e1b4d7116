import Foundation
import Support
import Testing

@Suite("Inputs of 'corewire push send'")
struct PushSendInputTests {
    private static let point = """
        BF5oEo0xDUpgylKDTlsd8pZmxQA1leYINiY-rSscWYK_3tWAkz4VMbtf1MLE_Yyd6iII6o-e3Q9TCN5vZMzVMEs
        """
    private static let auth = "Hk2zQ8VxHk2zQ8VxHk2zQw"

    private static func subscription(
        _ endpoint: String = "https://push.invalid/secret-endpoint",
        point: String = point,
        auth: String = auth
    ) -> String {
        #"{"endpoint":"\#(endpoint)","expirationTime":null,"keys":{"p256dh":"\#(point)","auth":"\#(auth)"}}"#
    }

    private static func send(_ arguments: [String], files: [String: String] = [:]) throws -> Run {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        return try Program.corewire(["push", "send"] + arguments, in: folder.url)
    }

    @Test(
        "a file that is no subscription is an error",
        arguments: [
            ("", "expected JSON"), ("[]", "expected JSON"), (#"{"endpoint":7}"#, "expected JSON"),
            (#"{"endpoint":"https://push.invalid/"}"#, "'keys' is missing"),
            (#"{"endpoint":"https://push.invalid/","keys":{"p256dh":"\#(point)"}}"#, "'keys.auth' is missing"),
            (subscription("push.invalid"), "not a URL"), (subscription("http://push.invalid/x"), "not a URL of https"),
            (subscription("ftp://127.0.0.1/x"), "not a URL of https"),
            (subscription("file:///etc/passwd"), "not a URL"),
            (subscription("https://push.invalid/x#y"), "not a URL"),
            (subscription("https://ada:word@push.invalid/x"), "not a URL"),
            (subscription(point: "!"), "'s': 'keys.p256dh' is not Base64URL"),
            (subscription(point: ""), "not a point of P-256"),
            (subscription(point: String(point.dropLast(3)) + "AAA"), "not a point of P-256"),
            (subscription(auth: "AAAA"), "auth secret"), (subscription(auth: "A"), "'keys.auth' is not Base64URL"),
        ]
    )
    func subscriptions(text: String, message: String) throws {
        let run = try Self.send(["--subscription", "s", "Hello"], files: ["s": text])
        #expect(run.status == 1 && run.errors.contains(message), "\(run.everything)")
        #expect(!run.everything.contains("secret-endpoint") && !run.everything.contains(Self.auth))
    }

    @Test("a missing file is an error", arguments: ["--subscription", "--vapid-key", "--token"])
    func missing(option: String) throws {
        let other =
            switch option {
            case "--vapid-key": ["--subscription", "s"]
            case "--token": ["--ntfy", "https://ntfy.invalid/topic"]
            default: [String]()
            }
        let run = try Self.send(other + [option, "nowhere", "Hello"], files: ["s": Self.subscription()])
        #expect(run.status == 66 && run.errors.contains("cannot read 'nowhere'"), "\(run.everything)")
    }

    @Test(
        "an invalid command line is an error",
        arguments: [
            ([], "expected --subscription, --ntfy or --mqtt"),
            (["--ntfy", "https://n.invalid/t", "--subscription", "s"], "one of"),
            (["--subscription", "s"], "expected a text or --data"),
            (["--subscription", "s", ""], "expected a text or --data"),
            (["--subscription", "-", "Hello", "--vapid-key", "-"], "cannot both read standard input"),
            (["--subscription", "s", "Hello", "--ttl", "soon"], "--ttl takes a duration"),
            (["--subscription", "s", "Hello", "--ttl", "366d"], "--ttl must be"),
            (["--subscription", "s", "Hello", "--topic", "a b"], "--topic takes"),
            (["--subscription", "s", "Hello", "--topic", String(repeating: "a", count: 33)], "--topic takes"),
            (["--subscription", "s", "Hello", "--urgency", "hihg"], "did you mean 'high'?"),
            (["--subscription", "s", "Hello", "--subject", "ops@example.com", "--vapid-key", "k"], "--subject takes"),
            (["--subscription", "s", "Hello", "--subject", "mailto:ops@example.com"], "requires --vapid-key"),
            (["--subscription", "s", "Hello", "--token", "k"], "--token cannot be used with --subscription"),
            (["--subscription", "s", "Hello", "--category", "a", "--category", "b"], "--category is given twice"),
            (["--subscription", "s", "Hello", "--data", "x"], "--data takes 'name=value'"),
            (["--subscription", "s", "Hello", "--badge", "-1"], "--badge"),
            (
                ["--subscription", "s", "a", "--button", "a", "--button", "b", "--button", "c", "--button", "d"],
                "three"
            ),
            (["--ntfy", "n.invalid/t", "Hello"], "--ntfy takes the URL"),
            (["--ntfy", "http://n.invalid/t", "Hello"], "--ntfy: only a server on this machine can be without TLS"),
            (["--ntfy", "https://ada:word@n.invalid/t", "Hello"], "without a user"),
            (["--ntfy", "https://n.invalid", "Hello"], "--ntfy takes the URL"),
            (["--ntfy", "https://n.invalid/t?auth=x", "Hello"], "--ntfy takes the URL"),
            (["--ntfy", "https://n.invalid/", "Hello"], "a topic has"),
            (["--ntfy", "https://n.invalid/a%20b", "Hello"], "a topic has"),
            (["--ntfy", "https://n.invalid/t", "Hello", "--data", "a=b"], "--data cannot be used with --ntfy"),
            (["--ntfy", "https://n.invalid/t", "Hello", "--vapid-key", "k"], "--vapid-key cannot be used with --ntfy"),
            (["--ntfy", "https://n.invalid/t", "Hello", "--button", "Open"], "needs a link"),
            (["--ntfy", "https://n.invalid/t", "Hello", "--button", "Open="], "needs a link"),
        ] as [([String], String)]
    )
    func usage(arguments: [String], message: String) throws {
        let run = try Self.send(arguments, files: ["s": Self.subscription()])
        #expect(run.status == 64 && run.errors.contains(message), "\(run.everything)")
    }

    @Test(
        "a key that is not one of P-256, in PKCS #8, is an error",
        arguments: [
            (["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"], "VAPID needs a key of P-256"),
            (["genpkey", "-algorithm", "ED25519"], "VAPID needs a key of P-256"),
            (["ecparam", "-name", "prime256v1", "-genkey", "-noout"], "convert it: openssl pkcs8"),
            (["genpkey", "-algorithm", "ED25519", "-aes256", "-pass", "pass:word"], "convert it: openssl pkcs8"),
        ]
    )
    func keys(making arguments: [String], message: String) throws {
        let made = try Program.run("openssl", arguments)
        for command in [["send", "--subscription", "s", "Hello", "--vapid-key", "k"], ["vapid-key", "k"]] {
            let folder = try TemporaryFolder()
            try folder.write(Self.subscription(), to: "s")
            try folder.write(made.output, to: "k")
            let run = try Program.corewire(["push"] + command, in: folder.url)
            #expect(run.status == 1 && run.errors.contains(message), "\(run.everything)")
            #expect(run.output.isEmpty)
        }
    }

    @Test("'push vapid-key' replaces no file, and tells why it cannot write one")
    func unwritable() throws {
        let folder = try TemporaryFolder()
        try folder.write("mine", to: "k")
        let taken = try Program.corewire(["push", "vapid-key", "k"], in: folder.url)
        #expect(taken.status == 1 && taken.errors.contains("has no private key"), "\(taken.everything)")
        #expect(try folder.text(of: "k") == "mine")
        let nowhere = try Program.corewire(["push", "vapid-key", "no/such/folder"], in: folder.url)
        #expect(nowhere.status == 73 && nowhere.errors.contains("cannot write"), "\(nowhere.everything)")
    }

    @Test(
        "lifetime, urgency and topic are in the head of a Web Push message",
        arguments: [
            ([], ["ttl: 86400"]), (["--ttl", "0s", "--urgency", "very-low"], ["ttl: 0", "urgency: very-low"]),
            (
                ["--ttl", "1500ms", "--urgency", "critical", "--topic", "beds"],
                ["topic: beds", "ttl: 2", "urgency: high"]
            ),
        ] as [([String], [String])]
    )
    func head(options: [String], fields: [String]) throws {
        let server = try RecordingServer { _, _ in RecordingServer.answer("", "201 Created") }
        let files = ["s": Self.subscription(server.url + "/secret-endpoint")]
        let run = try Self.send(["--subscription", "s", "Hello"] + options, files: files)
        #expect(run.status == 0, "\(run.everything)")
        let lines = server.requests.flatMap { $0.lowercased().split(separator: "\r\n") }
        let found = lines.filter { line in ["topic:", "ttl:", "urgency:"].contains { line.hasPrefix($0) } }
        #expect(found.map(String.init).sorted() == fields, "\(server.requests)")
    }

    @Test("keys may be in standard Base64")
    func standardBase64() throws {
        let server = try RecordingServer { _, _ in RecordingServer.answer("", "201 Created") }
        let text = Self.subscription(
            server.url + "/secret-endpoint",
            point: Self.point.replacing("-", with: "+").replacing("_", with: "/") + "=",
            auth: Self.auth + "=="
        )
        let run = try Self.send(["--subscription", "s", "Hello"], files: ["s": text])
        #expect(run.status == 0, "\(run.everything)")
    }

    @Test("a message of a service that only repeats its status is told once")
    func repeated() throws {
        let server = try RecordingServer { _, _ in
            RecordingServer.answer(#"{"message":"Bad Request"}"#, "400 Bad Request")
        }
        let files = ["s": Self.subscription(server.url + "/secret-endpoint")]
        let run = try Self.send(["--subscription", "s", "Hello"], files: files)
        #expect(run.errors == "error: the push service responded with status 400 Bad Request\n", "\(run.everything)")
    }

    @Test("a message in another topic of ntfy is an error; no --id is advised")
    func otherTopic() throws {
        let server = try RecordingServer { _, _ in RecordingServer.answer(#"{"id":"a1","topic":"alerts"}"#) }
        func send(_ path: String, to server: RecordingServer) throws -> Run {
            try Self.send(["--ntfy", server.url + path, "Hello"])
        }
        #expect(try send("/alerts", to: server).status == 0)
        let other = try send("/alerts/beds", to: server)
        #expect(other.status == 1 && other.errors.contains("the server has used another topic"), "\(other.everything)")
        let lost = try send("/alerts", to: try RecordingServer { _, _ in "" })
        #expect(lost.status == 75 && lost.errors.contains("the message may have been sent\n"), "\(lost.everything)")
    }

    @Test("a service that closes the connection may have the message; a pause of more than a day is not told")
    func unanswered() throws {
        let silent = try RecordingServer { _, _ in "" }
        let busy = try RecordingServer { _, _ in RecordingServer.answer("", "429 Busy", "Retry-After: 90000") }
        func send(to server: RecordingServer) throws -> Run {
            let files = ["s": Self.subscription(server.url + "/secret-endpoint")]
            return try Self.send(["--subscription", "s", "Hello"], files: files)
        }
        let lost = try send(to: silent)
        #expect(lost.status == 75 && lost.errors.hasPrefix("error: no response: "), "\(lost.everything)")
        #expect(lost.errors.contains("the message may have been sent") && !lost.errors.contains("secret-endpoint"))
        let later = try send(to: busy)
        #expect(later.status == 75 && later.errors.contains("try again later"), "\(later.everything)")
    }

    @Test("a key that other users may read is used with a warning")
    func exposed() throws {
        let folder = try TemporaryFolder()
        _ = try Program.corewire(["push", "vapid-key", "k"], in: folder.url)
        let quiet = try Program.corewire(["push", "vapid-key", "k"], in: folder.url)
        #expect(quiet.status == 0 && quiet.errors.isEmpty, "\(quiet.everything)")
        let path = folder.url.appendingPathComponent("k").path
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let warned = try Program.corewire(["push", "vapid-key", "k"], in: folder.url)
        #expect(warned.status == 0 && warned.output == quiet.output, "\(warned.everything)")
        #expect(warned.errors.contains("warning: other users may read 'k'"), "\(warned.everything)")
    }

    @Test("a message to an ntfy topic has title, priority, tags and buttons", .timeLimit(.minutes(2)))
    func ntfy() async throws {
        let server = try await ScriptedServer(push: "ntfy", ["--token", "tk_known"])
        let url = "http://127.0.0.1:\(server.readyWords[0])/alerts"
        let arguments = [
            "--ntfy", url, "Ward ä", "Bed 4 is free", "--urgency", "critical", "--category", "bed", "--category",
            "ward",
            "--link", "https://example.com/4", "--image", "https://example.com/4.png", "--button", "Call=tel:4",
        ]
        let refused = try Self.send(arguments)
        #expect(refused.status == 77 && refused.errors.contains("use --token"), "\(refused.everything)")
        let run = try Self.send(arguments + ["--token", "token"], files: ["token": "tk_known\n"])
        #expect(run.status == 0 && run.output == "sent\n", "\(run.everything)")
        let read = try Program.run("curl", ["-s", "-H", "Authorization: Bearer tk_known", "\(url)/json?poll=1"])
        for part in [
            #""title":"Ward ä""#, #""message":"Bed 4 is free""#, #""priority":5"#, #""tags":["bed","ward"]"#,
            #""click":"https://example.com/4""#, #""url":"https://example.com/4.png""#, #""label":"Call""#,
        ] { #expect(read.output.contains(part), "\(read.output)") }
        try await server.tell("refuse 429 1 9")
        let late = try Self.send(["--ntfy", url, "Hello"])
        #expect(late.status == 75 && late.errors.contains("try again in 9 s"), "\(late.everything)")
    }
}
