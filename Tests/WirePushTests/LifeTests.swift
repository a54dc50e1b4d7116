import Support
import Testing
import WireBase
import WireConfig
import WireDeviceContract
import WireHTTP
import WireNotificationContract
import WirePush
import WirePushContract
import WireService
import WireTelemetry
import WireWorkContract
import Workbench

@Suite("Lifecycle of a push registration", .timeLimit(.minutes(2)))
struct PushLifeTests {
    private static let token = String(repeating: "a1", count: 32)
    private static let other = String(repeating: "b2", count: 32)

    private static func ups(tokens: String = "{ apns: { file: apns } }", more: String = "") -> String {
        """
        push:
          tokens: \(tokens)
          \(more)
          registrars:
            it: { type: unifiedPush, url: https://push.example.com, variantId: v-1, variantSecret: secret-1 }

        """
    }

    private static let cloud = """
        push:
          tokens: { apns: { file: apns } }
          registrars: { it: { type: healthCloud, path: notifications, apiKey: key-1 } }

        """

    private static let crm = """
        push:
          tokens: { apns: { file: apns } }
          registrars: { it: { type: altcraft, url: https://pxl.example.com, rToken: role-1 } }

        """

    private static func jwtFile(_ source: String) -> String {
        """
        push:
          tokens: { apns: { file: apns } }
          registrars: { it: { type: altcraft, url: https://pxl.example.com, jwt: \(source) } }

        """
    }

    private static func jwt(_ email: String) -> String {
        let payload = #"{"matching":{"db_id":1,"matching":"email_profile","email":"\#(email)"}}"#
        return "e30.\(Base64URL.text(of: Array(payload.utf8))).c2ln"
    }

    // MARK: Before the sign-in

    @Test("a user's registration waits for the sign-in, then completes automatically")
    func signIn() async throws {
        let bench = try await PushBench(Self.cloud, sources: Sources(["apns": Self.token]))
        #expect(try await bench.stands("pending", for: "signIn"))
        #expect(bench.outbox.waiting.isEmpty)
        bench.allUsers.become("ada")
        try await bench.deliver()
        #expect(bench.server.asked.last?.address == "notifications")
        #expect(try await bench.stands("registered"))
        await bench.end()
    }

    @Test("another user of the device has a separate registration, and none waits for another's")
    func users() async throws {
        let bench = try await PushBench(Self.cloud, allUsers: People("ada"), sources: Sources(["apns": Self.token]))
        #expect(await eventually { bench.outbox.waiting.count == 1 })
        let lane = try #require(bench.outbox.waiting.first).lane
        bench.allUsers.become("bob")
        #expect(await eventually { bench.outbox.waiting.count == 2 })
        #expect(try #require(bench.outbox.waiting.last).lane != lane)
        try await bench.outbox.deliver()
        #expect(bench.outbox.reasons.last == "the request waits for the sign-in of another user")
        #expect(bench.server.asked.isEmpty)
        bench.allUsers.become("ada")
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        bench.allUsers.become("bob")
        #expect(await eventually { bench.outbox.waiting.count == 3 })
        for _ in 0..<3 { try await bench.outbox.deliver() }
        #expect(try await bench.stands("registered"))
        // The one that waited was overtaken: the former registration ends before the present one begins.
        #expect(bench.server.asked.map(\.method) == ["POST", "DELETE", "POST"])
        await bench.end()
    }

    @Test("with a JWT, profiles are separated by its claim")
    func jwts() async throws {
        let sources = Sources(["apns": Self.token, "jwt": Self.jwt("a@b")])
        let bench = try await PushBench(Self.jwtFile("{ file: jwt }"), sources: sources)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        let first = try await bench.registrar()["user"]?.string
        #expect(bench.server.asked.last?.fields["Authorization"] == "Bearer \(Self.jwt("a@b"))")
        sources.become("jwt", Self.jwt("c@d"))
        bench.service.refreshTokens()
        try await bench.deliver()
        #expect(try await bench.registrar()["user"]?.string != first)
        #expect(bench.server.asked.last?.address.contains("subscribe") == true)
        await bench.end()
    }

    @Test("a JWT set by the app is validated, stored and never shown")
    func appJWT() async throws {
        let bench = try await PushBench(Self.jwtFile("app"), sources: Sources(["apns": Self.token]))
        #expect(try await bench.stands("pending", for: "signIn"))
        let path = "/v1/push/registrars/it/jwt"
        #expect(try await bench.ask(.put, path, #"{"token":"no.jwt"}"#).status == 422)
        let answer = try await bench.ask(.put, path, #"{"token":"\#(Self.jwt("a@b"))"}"#)
        #expect(answer.status == 202 && !answer.json.text().contains(Self.jwt("a@b")))
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        #expect(try await bench.ask(.delete, path).status == 202)
        #expect(try await bench.stands("pending", for: "signIn"))
        await bench.end()
    }

    // MARK: The permission

    @Test("Altcraft subscriptions wait for the notification permission; without notifications nothing waits")
    func permission() async throws {
        let permission = NotificationPermission()
        permission.update(.ask)
        let bench = try await PushBench(Self.crm, permission: permission, sources: Sources(["apns": Self.token]))
        #expect(try await bench.stands("pending", for: "permission"))
        try await bench.outbox.deliver()
        #expect(bench.server.asked.isEmpty)
        permission.update(.denied)
        #expect(await eventually { bench.bench.events(named: "push.pending").count == 2 })
        permission.update(.granted)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        await bench.end()
        let free = try await PushBench(Self.crm, sources: Sources(["apns": Self.token]))
        try await free.deliver()
        #expect(try await free.stands("registered"))
        await free.end()
    }

    // MARK: Tokens

    @Test("a provider is tried three times, one second apart, before the next one")
    func failOver() async throws {
        let sources = Sources(["fcm": "fcm-token"])
        let bench = try await PushBench(
            Self.ups(tokens: "{ apns: { file: apns }, firebase: { file: fcm } }"),
            sources: sources
        )
        for tries in 1...2 {
            #expect(await eventually { sources.asked.count == tries && bench.bench.clock.sleepers > 1 })
            bench.bench.clock.pass(.seconds(1))
        }
        try await bench.deliver()
        #expect(Array(sources.asked.prefix(4)) == ["apns", "apns", "apns", "fcm"])
        #expect(try await bench.registrar()["provider"]?.string == "firebase")
        await bench.end()
    }

    @Test("a list of one provider uses only that, and its failure is reported at its line")
    func oneProvider() async throws {
        let sources = Sources(["fcm": "fcm-token"])
        let bench = try await PushBench(
            Self.ups(tokens: "{ apns: { env: NOBODY_SETS_THIS }, firebase: { file: fcm } }", more: "providers: [apns]"),
            sources: sources
        )
        for tries in 1...2 {
            #expect(await eventually { sources.asked.count == tries && bench.bench.clock.sleepers > 1 })
            bench.bench.clock.pass(.seconds(1))
        }
        #expect(try await bench.stands("pending", for: "token"))
        let told = try await bench.registrar()
        #expect(told["config"]?["path"]?.string == "push.tokens.apns")
        #expect(!sources.asked.contains("fcm"))
        let isTold = await eventually {
            bench.bench.told.all.last?.hasPrefix("degraded: it has not registered this device") == true
        }
        #expect(isTold)
        await bench.end()
    }

    @Test("a changed provider order, a forced refresh and a manual token are sent to the servers")
    func changes() async throws {
        let sources = Sources(["apns": Self.token, "fcm": "fcm-token"])
        let bench = try await PushBench(
            Self.ups(tokens: "{ apns: { file: apns }, firebase: { file: fcm } }"),
            sources: sources
        )
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        #expect(try await bench.ask(.put, "/v1/push/providers", #"{"providers":["firebase"]}"#).status == 202)
        try await bench.deliver()
        #expect(bench.server.asked.last?.fields["x-ag-old-token"] == Self.token)
        #expect(bench.server.asked.last?.body.contains("fcm-token") == true)

        sources.become("fcm", "fcm-second")
        #expect(try await bench.ask(.post, "/v1/push/refresh").status == 202)
        try await bench.deliver()
        #expect(bench.server.asked.last?.body.contains("fcm-second") == true)

        #expect(try await bench.ask(.put, "/v1/push/tokens/firebase", #"{"token":"manual-1"}"#).status == 202)
        try await bench.deliver()
        #expect(bench.server.asked.last?.body.contains("manual-1") == true)
        #expect(try await bench.ask(.delete, "/v1/push/tokens/firebase").status == 202)
        try await bench.deliver()
        #expect(bench.server.asked.last?.body.contains("fcm-second") == true)
        #expect(try await bench.ask(.delete, "/v1/push/providers").status == 202)
        try await bench.deliver()
        #expect(bench.server.asked.last?.body.contains(Self.token) == true)
        await bench.end()
    }

    @Test("the app sets and removes tokens, over the local API and in Swift")
    func handedIn() async throws {
        let bench = try await PushBench(Self.ups(tokens: "{ apns: app }"))
        #expect(try await bench.stands("pending", for: "token"))
        #expect(try await bench.ask(.put, "/v1/push/tokens/apns", #"{"token":"with space"}"#).status == 422)
        #expect(try await bench.ask(.put, "/v1/push/tokens/nobody", #"{"token":"x"}"#).status == 404)
        #expect(try await bench.ask(.put, "/v1/push/tokens/apns", #"{"token":"\#(Self.token)"}"#).status == 202)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        let ticket = bench.code.add("apns", .init(get: { Secret(Self.other) }, delete: nil))
        try await bench.deliver()
        #expect(bench.server.asked.last?.body.contains(Self.other) == true)
        bench.code.remove(ticket)
        // The token that was handed in is the one again.
        try await bench.deliver()
        #expect(bench.server.asked.last?.body.contains(Self.token) == true)
        #expect(try await bench.ask(.delete, "/v1/push/tokens/apns").status == 202)
        #expect(try await bench.stands("registered", for: "token"))
        await bench.end()
    }

    @Test("with embedded servers tokens are generated once, stored, and sent to them")
    func embedded() async throws {
        let section = """
            push: { registrars: { it: { type: unifiedPush, url: https://push.example.com, variantId: v-1, variantSecret: secret-1 } } }

            """
        let bench = try await PushBench(section, environment: "dev", embedded: true)
        try await bench.deliver()
        let asked = try #require(bench.server.asked.last)
        #expect(asked.address == "http://127.0.0.1:1/v-1/rest/registry/device")
        let token = try JSONValue(parsing: Array(asked.body.utf8), named: "body")["deviceToken"]?.string ?? ""
        #expect(token.utf8.count == 64 && token.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
        await bench.end()
        let later = try await PushBench(section, environment: "dev", in: bench.bench.folder, embedded: true)
        #expect(try await later.stands("registered"))
        #expect(later.outbox.waiting.isEmpty)
        await later.end()
    }

    // MARK: Altcraft

    @Test("subscriptions are suspended, resumed, ended and started with own fields, in order")
    func subscriptions() async throws {
        let bench = try await PushBench(Self.crm, sources: Sources(["apns": Self.token]))
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        let path = "/v1/push/registrars/it"
        #expect(try await bench.ask(.post, "\(path)/suspend").status == 202)
        try await bench.deliver()
        #expect(bench.server.asked.last?.body.contains(#""status":"suspended""#) == true)
        #expect(try await bench.stands("suspended"))
        #expect(try await bench.ask(.post, "\(path)/unsuspend").status == 202)
        try await bench.deliver()
        #expect(bench.server.asked.last?.address.contains("/unsuspend/") == true)
        #expect(try await bench.stands("registered"))
        let fields = #"{"customFields":{"ward":"3B"},"profileFields":{"visits":{"action":"incr","value":1}}}"#
        #expect(try await bench.ask(.post, "\(path)/subscribe", fields).status == 202)
        try await bench.deliver()
        let body = bench.server.asked.last?.body ?? ""
        #expect(body.contains(#""ward":"3B""#) && body.contains(#"{"visits":{"action":"incr","value":1}}"#))
        #expect(try await bench.stands("registered"))
        let categories = #"[{"name":"news"},{"name":"deals","title":"Deals","steady":true,"active":false}]"#
        let goal = #"{"categories":\#(categories),"replace":true,"skipTriggers":true}"#
        #expect(try await bench.ask(.post, "\(path)/subscribe", goal).status == 202)
        try await bench.deliver()
        let told = bench.server.asked.last?.body ?? ""
        let expected =
            #""cats":[{"name":"news","title":"news","steady":false,"active":true},"#
            + #"{"name":"deals","title":"Deals","steady":true,"active":false}]"#
        #expect(told.contains(expected) && told.contains(#""replace":true,"skip_triggers":true"#), "\(told)")
        #expect(try await bench.stands("registered"))
        #expect(bench.outbox.waiting.isEmpty)
        await bench.end()
    }

    @Test(
        "an invalid subscription or app event is rejected at once",
        arguments: [
            #"{"customFields":{"a":[1]}}"#, #"{"customFields":[]}"#, #"{"profileFields":{"a":{"action":"drop"}}}"#,
            #"{"profileFields":{"a":{"action":"incr"}}}"#, #"{"profileFields":{"a":{"action":"unset","x":1}}}"#,
            #"{"categories":[{}]}"#, #"{"nonsense":1}"#,
        ].map { ("subscribe", $0) } + [
            ("events", #"{"sid":"","name":"bought"}"#), ("events", #"{"sid":"7","name":"a\r\nb"}"#),
        ]
    )
    func poorFields(path: String, body: String) async throws {
        let bench = try await PushBench(Self.crm, sources: Sources(["apns": Self.token]))
        try await bench.deliver()
        let status = try await bench.ask(.post, "/v1/push/registrars/it/\(path)", body).status
        #expect(status == 400 || status == 422)
        #expect(bench.outbox.waiting.isEmpty)
        await bench.end()
    }

    @Test("Altcraft-only requests are rejected by other registrars, with the place in the file")
    func notSupported() async throws {
        let bench = try await PushBench(Self.ups(), sources: Sources(["apns": Self.token]))
        for path in ["suspend", "unsuspend"] {
            let answer = try await bench.ask(.post, "/v1/push/registrars/it/\(path)")
            #expect(answer.status == 409)
            #expect(answer.json["config"]?["path"]?.string == "push.registrars.it")
        }
        #expect(try await bench.ask(.get, "/v1/push/registrars/it/status").status == 409)
        #expect(try await bench.ask(.get, "/v1/push/registrars/nobody").status == 404)
        await bench.end()
    }

    @Test("a status is fetched immediately, and shows only the end of a token")
    func status() async throws {
        let bench = try await PushBench(Self.crm, sources: Sources(["apns": Self.token]))
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        bench.server.answer(
            200,
            #"{"error":0,"profile":{"id":1,"subscription":{"subscription_id":"\#(Self.token)","status":"subscribed"}}}"#
        )
        let answer = try await bench.ask(.get, "/v1/push/registrars/it/status?which=current")
        #expect(answer.status == 200)
        #expect(bench.server.asked.last?.address.contains("subscription_id=\(Self.token)") == true)
        #expect(!answer.json.text().contains(Self.token))
        #expect(answer.json["profile"]?["subscription"]?["subscription_id"]?.string == "…a1a1")
        bench.server.answer(299, #"{"error":0}"#)
        #expect(try await bench.ask(.get, "/v1/push/registrars/it/status").status == 200)
        for status in [199, 300, 404] {
            bench.server.answer(status, #"{"error":0}"#)
            let refused = try await bench.ask(.get, "/v1/push/registrars/it/status")
            #expect(refused.status == 502 && refused.json["config"]?["path"]?.string == "push.registrars.it")
        }
        bench.server.answer(200, "<html>")
        #expect(try await bench.ask(.get, "/v1/push/registrars/it/status").status == 502)
        await bench.end()
    }

    @Test("a platform that has lost the former token gets a new registration")
    func lostToken() async throws {
        let sources = Sources(["apns": Self.token])
        let bench = try await PushBench(Self.crm, sources: sources)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        sources.become("apns", Self.other)
        bench.service.refreshTokens()
        bench.server.answer(404)
        try await bench.deliver()
        #expect(bench.server.asked.last?.address.contains("/update/") == true)
        try await bench.deliver()
        #expect(bench.server.asked.last?.address.contains("/subscribe/") == true)
        #expect(bench.server.asked.last?.body.contains(Self.other) == true)
        await bench.end()
    }

    @Test("profile changes and app events are sent, and events have Altcraft's numbers")
    func profile() async throws {
        let bench = try await PushBench(Self.crm, sources: Sources(["apns": Self.token]))
        try await bench.deliver()
        let path = "/v1/push/registrars/it"
        let fields = #"{"fields":{"_fname":"Ada"},"skipTriggers":true}"#
        #expect(try await bench.ask(.post, "\(path)/profile", fields).status == 202)
        try await bench.deliver()
        #expect(bench.server.asked.last?.body == #"{"profile_fields":{"_fname":"Ada"},"skip_triggers":true}"#)
        let event = #"{"sid":"7","name":"bought","utm":{"campaign":"spring"}}"#
        #expect(try await bench.ask(.post, "\(path)/events", event).status == 202)
        try await bench.deliver()
        #expect(bench.server.asked.last?.body.contains("name=\"cn\"\r\n\r\nspring") == true)
        let registered = try #require(bench.bench.events(named: "push.registered").first)
        #expect(registered.data["altcraft"]?["ios"]?.integer == 230)
        let told = try #require(bench.bench.events(named: "push.mobileEventTold").first)
        #expect(told.data["altcraft"]?["android"]?.integer == 237)
        bench.server.answer(503)
        #expect(try await bench.ask(.post, "\(path)/profile", fields).status == 202)
        try await bench.deliver()
        try await bench.deliver()
        #expect(bench.bench.events(named: "push.retried").first?.data["altcraft"]?["android"]?.integer == 538)
        await bench.end()
    }

    // MARK: HALO

    @Test("HALO gets the token with the device, and push events by its activity URL")
    func halo() async throws {
        let section = """
            device: {}
            push: { tokens: { apns: { file: apns } }, registrars: { it: { type: halo, activity: [open] } } }

            """
        let bench = try await PushBench(section, sources: Sources(["apns": Self.token]))
        #expect(await eventually { bench.device.device.tokens == [DeviceToken(platform: "ios", token: Self.token)] })
        #expect(try await bench.stands("registered"))
        let push = bench.service.read(.members(["scheduleId": .string("s-1"), "title": .string("T")]))
        #expect(push.registrar == "it")
        try await bench.service.report(.delivery, of: push, at: 1)
        try await bench.service.report(.open, of: push, at: 2)
        try await bench.deliver()
        #expect(
            bench.server.asked.map(\.body) == [#"{"platform":"ios","schedule":"s-1","device":"d-1","action":"open"}"#]
        )
        #expect(try await bench.ask(.post, "/v1/push/registrars/it/unsubscribe").status == 202)
        #expect(await eventually { bench.device.device.tokens.isEmpty })
        await bench.end()
    }

    @Test(
        "the HALO registration completes when the device is saved; its waits and rejections are reported"
    )
    func haloDevice() async throws {
        let section = """
            device: {}
            push: { tokens: { apns: { file: apns } }, registrars: { it: { type: halo } } }

            """
        let bench = try await PushBench(section, sources: Sources(["apns": Self.token]))
        #expect(try await bench.stands("registered"))
        #expect(await eventually { bench.bench.events(named: "push.registered").count == 1 })
        bench.device.become(.pending)
        #expect(try await bench.stands("pending", for: "device"))
        bench.device.become(.saved)
        #expect(try await bench.stands("registered"))
        #expect(bench.bench.events(named: "push.registered").count == 1)
        bench.device.become(.untold(Fault("it was never registered", help: "ask")))
        #expect(try await bench.stands("pending", for: "device"))
        #expect(try await bench.registrar()["help"]?.string == "ask")
        #expect(try await bench.ask(.post, "/v1/push/registrars/it/register").status == 202)
        // Whether servers are told of the device is another section's to say.
        #expect(bench.device.saves == 0)
        #expect(try await bench.stands("pending", for: "device"))
        bench.device.become(.refused(Fault("the device was rejected: 403")))
        #expect(try await bench.stands("refused"))
        #expect(try await bench.registrar()["reason"]?.string == "the device was rejected: 403")
        #expect(await eventually { bench.bench.events(named: "push.failed").count == 1 })
        // Somebody has the device saved after all.
        bench.device.become(.saved)
        #expect(try await bench.stands("registered"))
        bench.device.become(.pending)
        #expect(try await bench.ask(.post, "/v1/push/registrars/it/register").status == 202)
        #expect(bench.device.saves == 1)
        bench.device.become(.saved)
        #expect(try await bench.stands("registered"))
        // Whoever takes the token off the device has it put back.
        try await bench.device.change { $0.setToken(nil, of: "ios") }
        bench.service.refreshTokens()
        #expect(await eventually { bench.device.device.tokens.map(\.token) == [Self.token] })
        await bench.end()
    }

    // MARK: Removing

    @Test("clearing removes everything: it lists the data, drops queued requests, and does not register again")
    func clear() async throws {
        let bench = try await PushBench(Self.ups(tokens: "{ apns: app }"))
        _ = try await bench.ask(.put, "/v1/push/tokens/apns", #"{"token":"\#(Self.token)"}"#)
        #expect(try await bench.stands("pending", for: "outbox"))
        let answer = try await bench.ask(.post, "/v1/push/clear", #"{"everybody":true}"#)
        #expect(answer.json.text() == #"{"registrations":["it"],"tokens":1,"jwts":0,"providers":false}"#)
        try await bench.deliver()
        #expect(bench.outbox.reasons == ["all push data was removed"] && bench.server.asked.isEmpty)
        #expect(try await bench.stands("pending", for: "removed"))
        await bench.end()
        let later = try await PushBench(
            Self.ups(tokens: "{ apns: app }"),
            in: bench.bench.folder,
            server: bench.server,
            outbox: bench.outbox
        )
        #expect(try await later.stands("pending", for: "removed"))
        #expect(try await later.ask(.post, "/v1/push/register").status == 202)
        #expect(try await later.ask(.put, "/v1/push/tokens/apns", #"{"token":"\#(Self.other)"}"#).status == 202)
        #expect(try await later.stands("pending", for: "outbox"))
        try await later.deliver()
        #expect(try await later.stands("registered"))
        await later.end()
    }
}
