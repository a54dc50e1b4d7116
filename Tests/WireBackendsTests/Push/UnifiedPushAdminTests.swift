import Foundation
import Support
import Testing
import WireBackendContract
import WireBackends
import WireBase
import WireConfig
import WireEmbedded
import WireHTTP
import WireService

@Suite("UnifiedPush administration", .timeLimit(.minutes(2)))
struct UnifiedPushAdminTests {
    private static let path = "/ups/rest/applications"

    /// An administrator, by a token of the identity server.
    private struct Office {
        let push: PushHouse
        let token: String

        init(_ push: PushHouse) async throws {
            self.push = push
            token = "Authorization: Bearer \(try await HaloHouse.appToken(push.web))"
        }

        func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> RawClient.Answer {
            guard let body else { return try await push.web.ask(method, path, [token]) }
            return try await push.web.send(method, path, body, [token])
        }

        /// Makes an application; gives its id and its secret.
        func application(_ name: String = "Wards") async throws -> (id: String, secret: String) {
            let made = try await ask("POST", path, #"{"name":"\#(name)","description":"all of them"}"#)
            #expect(made.status == 201, "\(made.text)")
            let id = try #require(made.json["pushApplicationID"]?.string)
            #expect(made["Location"]?.hasSuffix("/applications/\(id)") == true)
            return (id, try #require(made.json["masterSecret"]?.string))
        }

        /// Makes a variant for Android; gives its id and its secret.
        func variant(of application: String) async throws -> (id: String, secret: String) {
            let body = #"{"name":"Phones","googleKey":"hush-hush-google","projectNumber":"17"}"#
            let made = try await ask("POST", "\(path)/\(application)/android", body)
            #expect(made.status == 201 && !made.text.contains("hush-hush"), "\(made.text)")
            #expect(made.json["projectNumber"]?.string == "17" && made.json["type"]?.string == "android")
            return (
                try #require(made.json["variantID"]?.string), try #require(made.json["secret"]?.string)
            )
        }

        func register(_ token: String, _ variant: (id: String, secret: String)) async throws -> Int {
            let body = #"{"deviceToken":"\#(token)"}"#
            return try await push.web.send("POST", "/ups/rest/registry/device", body, [basic(variant)]).status
        }

        func send(_ text: String, _ application: (id: String, secret: String)) async throws -> Int {
            let body = #"{"message":{"alert":"\#(text)"}}"#
            return try await push.web.send("POST", "/ups/rest/sender", body, [basic(application)]).status
        }

        private func basic(_ login: (id: String, secret: String)) -> String {
            "Authorization: Basic " + Data("\(login.id):\(login.secret)".utf8).base64EncodedString()
        }

        private let path = UnifiedPushAdminTests.path
    }

    @Test("an application is created, changed and deleted; its secret is shown once, and after a reset")
    func applications() async throws {
        try await PushHouse.run { push in
            let office = try await Office(push)
            let made = try await office.application()
            #expect(try await office.ask("GET", Self.path)["total"] == "2")
            let shown = try await office.ask("GET", "\(Self.path)/\(made.id)")
            #expect(shown.json["description"]?.string == "all of them" && !shown.text.contains(made.secret))
            #expect(try await office.send("Hi", made) == 202)
            let reset = try await office.ask("PUT", "\(Self.path)/\(made.id)/reset")
            let secret = try #require(reset.json["masterSecret"]?.string)
            #expect(reset.status == 200 && secret != made.secret)
            #expect(try await office.send("Hi", made) == 401)
            #expect(try await office.send("Hi", (made.id, secret)) == 202)
            // Programs send back what they were told.
            #expect(try await office.ask("PUT", "\(Self.path)/\(made.id)", shown.text).status == 204)
            #expect(try await office.ask("PUT", "\(Self.path)/\(made.id)", #"{"name":"Beds"}"#).status == 204)
            let changed = try await office.ask("GET", "\(Self.path)/\(made.id)").json
            #expect(changed["name"]?.string == "Beds" && changed["description"]?.string == nil)
            #expect(try await office.ask("DELETE", "\(Self.path)/\(made.id)").status == 204)
            #expect(try await office.ask("DELETE", "\(Self.path)/\(made.id)").status == 404)
            #expect(try await office.send("Hi", (made.id, secret)) == 401)
        }
    }

    @Test(
        "an invalid application, or a used id, is rejected",
        arguments: [
            ("{}", 400), (#"{"name":""}"#, 400), (#"{"name":"a\u0007"}"#, 400), (#"{"name":"a","x":1}"#, 400),
            (#"{"name":"a","pushApplicationID":"a b"}"#, 400), (#"{"name":"a","masterSecret":"short"}"#, 400),
            (#"{"name":"a","pushApplicationID":"wards"}"#, 409), ("[]", 400),
        ]
    )
    func poorApplications(body: String, status: Int) async throws {
        try await PushHouse.run { push in
            let office = try await Office(push)
            let own = #"{"name":"a","pushApplicationID":"wards","masterSecret":"long-enough"}"#
            #expect(try await office.ask("POST", Self.path, own).status == 201)
            let answer = try await office.ask("POST", Self.path, body)
            #expect(answer.status == status, "\(answer.text)")
            #expect(try await office.ask("GET", Self.path)["total"] == "2")
            #expect(try await push.web.send("POST", Self.path, own, []).status == 401)
        }
    }

    @Test("application, variants and secrets of the services file are changed only there")
    func declared() async throws {
        try await PushHouse.run { push in
            let office = try await Office(push)
            _ = try await push.register(PushHouse.token)
            let path = "\(Self.path)/\(try await push.application)"
            for (method, more) in [
                ("DELETE", ""), ("PUT", "/reset"), ("DELETE", "/ios/phones"), ("PUT", "/ios/phones/reset"),
            ] {
                let answer = try await office.ask(method, "\(path)\(more)")
                #expect(answer.status == 400 && answer.text.contains("The services file declares"), "\(answer.text)")
            }
            let change = try await office.ask("PUT", "\(path)/ios/phones", #"{"name":"x"}"#)
            #expect(change.status == 400 && change.text.contains("The services file declares"))
            #expect(try await push.send(#"{"message":{"alert":"Hi"}}"#) == 202)
        }
        // A secret that nobody has written down may become another one.
        try await PushHouse.run("keep: 10") { push in
            let office = try await Office(push)
            let id = try await push.application
            let reset = try await office.ask("PUT", "\(Self.path)/\(id)/reset")
            let secret = try #require(reset.json["masterSecret"]?.string)
            #expect(try await office.send("Hi", (id, secret)) == 202)
            let sent = try await push.house.local(.post, "/v1/backends/push", #"{"via":"ups","body":"Hi"}"#)
            #expect(sent.status == 202, "\(sent)")
        }
    }

    @Test(
        "a created variant accepts devices of its type, gets messages, is changed, reset, and deleted with its devices"
    )
    func variants() async throws {
        try await PushHouse.run { push in
            let office = try await Office(push)
            let application = try await office.application()
            let variant = try await office.variant(of: application.id)
            #expect(try await office.register(PushHouse.token, variant) == 400)
            #expect(try await office.register(PushHouse.android, variant) == 200)
            _ = try await push.register(PushHouse.token)
            #expect(try await office.send("Wards only", application) == 202)
            #expect(try await push.waiting(1).map(\.token) == [PushHouse.android])
            #expect(try await push.overview()["waiting"]?.integer == 1)
            let path = "\(Self.path)/\(application.id)/android/\(variant.id)"
            #expect(try await office.ask("GET", path).text.contains(variant.secret) == false)
            let changed = try await office.ask("PUT", path, #"{"name":"Tablets","projectNumber":"18"}"#)
            #expect(changed.status == 200 && changed.json["projectNumber"]?.string == "18")
            #expect(changed.json["name"]?.string == "Tablets")
            let reset = try await office.ask("PUT", "\(path)/reset")
            let secret = try #require(reset.json["secret"]?.string)
            #expect(try await office.register(PushHouse.android, variant) == 401)
            #expect(try await office.register(PushHouse.android, (variant.id, secret)) == 200)
            let devices = "\(Self.path)/\(variant.id)/installations/"
            #expect(try await office.ask("GET", devices)["total"] == "1")
            #expect(try await office.ask("PATCH", path, #"{"name":"x"}"#).status == 405)
            #expect(try await office.ask("GET", "\(Self.path)/\(application.id)/ios/\(variant.id)").status == 404)
            #expect(try await office.ask("DELETE", path).status == 204)
            #expect(try await office.ask("GET", devices).status == 404)
            #expect(try await office.register(PushHouse.android, (variant.id, secret)) == 401)
            #expect(try await push.overview(of: "ups")["registrations"]?.integer == 1)
        }
    }

    @Test(
        "each variant type requires its provider's credentials, and never shows them",
        arguments: [
            ("android", #""projectNumber":"1""#, #""googleKey":"hush-hush""#),
            ("ios", #""certificate":"hush-hush""#, #""passphrase":"hush-hush""#),
            ("ios_token", #""teamId":"t","keyId":"k","bundleId":"b""#, #""privateKey":"hush-hush""#),
            ("iostoken", #""teamId":"t","keyId":"k","privateKey":"hush-hush""#, #""bundleId":"b""#),
        ]
    )
    func kinds(kind: String, some: String, rest: String) async throws {
        try await PushHouse.run { push in
            let office = try await Office(push)
            let application = try await office.application()
            let path = "\(Self.path)/\(application.id)/\(kind)"
            #expect(try await office.ask("POST", path, #"{"name":"v",\#(some)}"#).status == 400)
            let made = try await office.ask("POST", path, #"{"name":"v",\#(some),\#(rest)}"#)
            #expect(made.status == 201 && !made.text.contains("hush-hush"), "\(made.text)")
            #expect(try await office.ask("GET", path).json.array?.count == 1)
            guard kind != "android" else { return }
            #expect(made.json["production"]?.boolean == false)
            let id = try #require(made.json["variantID"]?.string)
            #expect(try await office.ask("PATCH", "\(path)/\(id)", #"{"name":"w","production":true}"#).status == 204)
            let changed = try await office.ask("GET", "\(path)/\(id)").json
            #expect(changed["name"]?.string == "w" && changed["production"]?.boolean == true)
        }
    }

    @Test("a certificate is uploaded with curl, and a web push key is generated and renewed")
    func certificateAndKey() async throws {
        try await PushHouse.run { push in
            let office = try await Office(push)
            let application = try await office.application()
            let file = push.house.folder.url.appendingPathComponent("certificate.p12")
            try Data([0, 255, 13, 10, 45, 45]).write(to: file)
            let address = try #require(push.house.base) + "\(Self.path)/\(application.id)/ios"
            let answer = try await Curl.run(
                "-H",
                office.token,
                "-F",
                "name=Phones",
                "-F",
                "certificate=@\(file.path)",
                "-F",
                "passphrase=hush-hush",
                "-F",
                "production=true",
                "-w",
                "%{http_code}",
                address
            )
            #expect(answer.hasSuffix("201") && answer.contains(#""production":true"#), "\(answer)")
            let web = "\(Self.path)/\(application.id)/web_push"
            let made = try await office.ask("POST", web, #"{"name":"Pages","alias":"mailto:ada@example.com"}"#)
            let (id, key) = (
                try #require(made.json["variantID"]?.string), try #require(made.json["publicKey"]?.string)
            )
            #expect(key.count == 87 && key.hasPrefix("B"))
            let renewed = try await office.ask("PUT", "\(web)/\(id)/renew")
            #expect(renewed.status == 200)
            #expect(renewed.json["publicKey"]?.string.map { $0.count == 87 && $0 != key } == true)
            #expect(try await office.ask("PUT", "\(Self.path)/\(application.id)/ios/\(id)/renew").status == 404)
        }
    }

    @Test("the dashboard shows counts, top applications and warnings")
    func dashboard() async throws {
        try await PushHouse.run { push in
            let office = try await Office(push)
            let application = try await office.application()
            let variant = try await office.variant(of: application.id)
            #expect(try await office.register(PushHouse.android, variant) == 200)
            _ = try await push.register(PushHouse.token)
            for _ in 0..<2 { #expect(try await office.send("Hi", application) == 202) }
            #expect(try await push.send(#"{"message":{"alert":"Hi"}}"#) == 202)
            let path = "/ups/rest/metrics/dashboard"
            let totals = try await office.ask("GET", path)
            #expect(totals.text == #"{"applications":2,"devices":2,"messages":3}"#)
            let active = try await office.ask("GET", "\(path)/active?count=1").json
            #expect(active.array?.count == 1 && active.array?[0]["applicationName"]?.string == "Wards")
            #expect(active.array?[0]["variant"]?["variantID"]?.string == variant.id)
            #expect(try await office.ask("GET", "\(path)/active").json.array?.count == 2)
            #expect(try await office.ask("GET", "\(path)/warnings").json.array?.isEmpty == true)
            let long = String(repeating: "x", count: 5_000)
            #expect(try await office.send(long, application) == 202)
            let warnings = try await office.ask("GET", "\(path)/warnings").json
            #expect(warnings.array?.map { $0["applicationID"]?.string } == [application.id])
            #expect(try await push.web.get(path).status == 401)
            let list = try await office.ask("GET", "\(Self.path)?includeActivity=true&includeDeviceCount=true")
            #expect(list["activity_app_\(application.id)"] == "3")
            #expect(list["activity_variant_\(variant.id)"] == "3")
            #expect(list["deviceCount_app_\(application.id)"] == "1")
            // Each application's messages are its own.
            let metrics = "/ups/rest/metrics/messages/application"
            let own = try await office.ask("GET", "\(metrics)/\(application.id)")
            #expect(own["total"] == "3" && own.json.array?[0]["variants"] == nil)
            #expect(try await office.ask("GET", "\(metrics)/\(try await push.application)")["total"] == "1")
        }
    }

    @Test("administered data survives the runner, and belongs to its environment")
    func kept() async throws {
        let folder = try TemporaryFolder()
        let made = MadeThings()
        try await PushHouse.run(in: folder) { push in
            let office = try await Office(push)
            let application = try await office.application()
            made.keep(application, try await office.variant(of: application.id))
        }
        try await PushHouse.run(in: folder) { push in
            let office = try await Office(push)
            let (application, variant) = try #require(made.kept)
            #expect(try await office.register(PushHouse.android, variant) == 200)
            #expect(try await office.send("Hi", application) == 202)
            #expect(try await push.waiting(1).map(\.token) == [PushHouse.android])
        }
    }
}

/// What one run of a server has made, for the next one.
private final class MadeThings: @unchecked Sendable {
    // Two runs, one after the other.
    private(set) var kept: (application: (id: String, secret: String), variant: (id: String, secret: String))?

    func keep(_ application: (id: String, secret: String), _ variant: (id: String, secret: String)) {
        kept = (application, variant)
    }
}
