import Support
import Testing
import WireBase
import WireConfig
import WireCrypto
import WireHTTP
import WireNotificationContract
import WirePush
import WirePushContract
import WireService
import Workbench

/// AC-5 and AC-6 with Web Push as a provider, BY-14: each environment has subscriptions of its own.
@Suite("Web Push subscriptions of registrations", .timeLimit(.minutes(2)))
struct WebPushTests {
    private static func file(
        _ registrars: String,
        providers: String = "[webPush]",
        service: String = "wss://push.example.net"
    ) -> String {
        """
        push:
          providers: \(providers)
          tokens:
            webPush: { type: autopush, url: "\(service)" }
            apns: { file: apns }
          registrars:
        \(registrars)
        network: { tokenHosts: [api.example.com] }
        notifications: {}

        """
    }

    /// The file with a distributor as the service.
    private static func distributed(_ registrars: String) -> String {
        file(registrars).replacing(
            #"type: autopush, url: "wss://push.example.net""#,
            with: "type: distributor, name: kde"
        )
    }

    private static let device = """
            it:
              type: rest
              url: https://api.example.com
              needs: []
              register: { body: '{"at":{{ endpoint | json }},"key":{{ p256dh | json }},"auth":{{ auth | json }}}' }
              unregister: { method: DELETE, path: "{{ endpoint }}" }
        """
    private static let person = """
            it:
              type: rest
              url: https://api.example.com
              authorization: user
              register: { body: '{"at":{{ endpoint | json }}}' }
        """

    /// The accounts of a service, as its connections see them.
    private static func accounts(_ bench: PushBench) async -> [any WebPushAccount] {
        (try? await Abilities(bench.service.abilities)[ServiceAbility.webPush]?.accounts) ?? []
    }

    /// The channels of all accounts.
    private static func channels(_ bench: PushBench) async -> [WebPushState.Channel] {
        await accounts(bench).asyncMap { account in (try? await account.state.channels) ?? [] }.flatMap(\.self)
    }

    /// Gives every new channel an endpoint, once there are so many channels in all.
    private static func open(_ count: Int, _ bench: PushBench) async throws {
        #expect(await eventually { await channels(bench).count == count })
        for account in await accounts(bench) {
            for channel in try await account.state.channels where channel.endpoint == nil {
                try await account.opened(channel.id, at: "https://push.example.net/\(channel.id)", as: "name")
            }
        }
    }

    @Test("a registration waits for the endpoint, and is sent with the keys of that channel")
    func registered() async throws {
        let bench = try await PushBench(Self.file(Self.device))
        #expect(try await bench.stands("pending", for: "token"))
        try await Self.open(1, bench)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        let channel = try #require(await Self.channels(bench).first)
        let printed = try await bench.ask(.get, "/v1/push/registrars/it/subscription")
        #expect(printed.status == 200 && printed.json["endpoint"]?.string == channel.endpoint)
        let keys = try #require(printed.json["keys"])
        #expect(keys["p256dh"]?.string.flatMap { Base64URL.bytes(of: $0) }?.count == 65)
        #expect(keys["auth"]?.string.flatMap { Base64URL.bytes(of: $0) }?.count == 16)
        let shown = try await bench.registrar()
        #expect(shown["token"]?.string == "…\(channel.endpoint?.suffix(4) ?? "")")
        await bench.end()
    }

    @Test("each registrar has a channel and keys of its own, with the key of its sender")
    func separate() async throws {
        let vapid = SenderKey.placeholder.text
        let other = """
                other:
                  type: rest
                  url: https://api.example.com
                  needs: []
                  vapid: \(vapid)
                  register: { body: '{"at":{{ endpoint | json }}}' }
            """
        let bench = try await PushBench(Self.file(Self.device + "\n" + other))
        try await Self.open(2, bench)
        #expect(Set(await Self.channels(bench).map(\.sender)) == [nil, vapid])
        let keys = try await ["it", "other"].asyncMap { name in
            _ = try await eventually {
                try await bench.ask(.get, "/v1/push/registrars/\(name)/subscription").status == 200
            }
            return try await bench.ask(.get, "/v1/push/registrars/\(name)/subscription").json["keys"]?["p256dh"]?.string
        }
        #expect(Set(keys).count == 2 && !keys.contains(nil))
        await bench.end()
    }

    @Test(
        "a distributor is asked where there are no embedded servers",
        arguments: [("prod", "distributor"), ("dev", "autopush ")]
    )
    func distributor(_ environment: String, _ scope: String) async throws {
        let file = Self.distributed(Self.device)
        let bench = try await PushBench(file, environment: environment, embedded: environment == "dev")
        #expect(await eventually { await !Self.accounts(bench).isEmpty })
        #expect(await Self.accounts(bench).first?.service.scope.hasPrefix(scope) ?? false)
        await bench.end()
    }

    @Test("in embedded environments, messages are read by the fields of the file with a distributor too")
    func embedded() async throws {
        let file = Self.distributed(Self.device).replacing("name: kde", with: "name: kde, payload: data")
        let bench = try await PushBench(file, environment: "dev", embedded: true)
        #expect(await eventually { await !Self.accounts(bench).isEmpty })
        let service = try await #require(Self.accounts(bench).first?.service)
        #expect(service.messages?.connectionSettings.contains { $0?.contains("data") ?? false } ?? false)
        #expect(service.origin?.path == "push.tokens.webPush")
        await bench.end()
    }

    @Test("another name of the distributor changes nothing of the channels")
    func renamed() async throws {
        let folder = try TemporaryFolder()
        var bench = try await PushBench(Self.distributed(Self.device), in: folder)
        try await Self.open(1, bench)
        let former = await Self.channels(bench)
        await bench.end()
        bench = try await PushBench(Self.distributed(Self.device).replacing(", name: kde", with: ""), in: folder)
        #expect(await eventually { await !Self.channels(bench).isEmpty })
        #expect(await Self.channels(bench) == former)
        await bench.end()
    }

    @Test("an endpoint that comes while the registration is under way is sent once, with the one that it replaces")
    func movedMeanwhile() async throws {
        let body = #"{"at":{{ endpoint | json }},"old":{{ oldEndpoint | json }}}"#
        let bench = try await PushBench(
            Self.file(
                Self.device.replacing(
                    #"{"at":{{ endpoint | json }},"key":{{ p256dh | json }},"auth":{{ auth | json }}}"#,
                    with: body
                )
            )
        )
        try await Self.open(1, bench)
        #expect(await eventually { bench.outbox.waiting.count == 1 })
        let (channel, account) = await (
            try #require(await Self.channels(bench).first), try #require(Self.accounts(bench).first)
        )
        try await bench.outbox.deliver {
            try await account.opened(channel.id, at: "https://push.example.net/second", as: nil)
            #expect(await eventually { bench.outbox.waiting.count == 2 })
        }
        #expect(try await bench.stands("pending"))
        while !bench.outbox.waiting.isEmpty { try await bench.deliver() }
        #expect(try await bench.stands("registered"))
        let first = #"{"at":"https://push.example.net/\#(channel.id)","old":null}"#
        let second = #"{"at":"https://push.example.net/second","old":"https://push.example.net/\#(channel.id)"}"#
        #expect(bench.server.asked.map(\.body) == [first, second])
        await bench.end()
    }

    @Test("why there is no endpoint yet is shown until there is one, even if that is the same")
    func delayed() async throws {
        let bench = try await PushBench(Self.distributed(Self.device))
        #expect(await eventually { await Self.channels(bench).count == 1 })
        let (channel, account) = await (
            try #require(await Self.channels(bench).first), try #require(Self.accounts(bench).first)
        )
        await account.delayed(channel.id, because: "the distributor 'kde' failed to register: NETWORK")
        let isTold = try await eventually {
            try await bench.registrar()["reason"]?.string?.contains("NETWORK") ?? false
        }
        #expect(isTold)
        await account.rejected(channel.id, because: "write 'vapid' in the registrar 'it'")
        let isRejected = try await eventually {
            try await bench.registrar()["reason"]?.string?.hasSuffix("write 'vapid' in the registrar 'it'") ?? false
        }
        #expect(isRejected)
        try await Self.open(1, bench)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        await bench.end()
    }

    @Test("the channels of a user end with the sign-out, and the next user has others")
    func users() async throws {
        let bench = try await PushBench(Self.file(Self.person), allUsers: People("ada"))
        try await Self.open(1, bench)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        let former = try #require(await Self.channels(bench).first)
        let account = try await #require(Self.accounts(bench).first)
        bench.allUsers.become(nil)
        #expect(await eventually { await Self.channels(bench).first?.isEnding ?? false })
        guard case .unreadable = try await account.decrypt([1], of: former.id) else {
            Issue.record("the keys are still there")
            return
        }
        bench.allUsers.become("bob")
        #expect(await eventually { await Self.accounts(bench).count == 2 })
        #expect(await Self.channels(bench).count { !$0.isEnding } == 1)
        try await account.closed(former.id)
        #expect(await Self.accounts(bench).count == 1)
        await bench.end()
    }

    @Test("a registration that only waits for a user ends with the sign-out, and the next user has another channel")
    func nextUser() async throws {
        let device = Self.device.replacing("needs: []", with: "needs: [user]")
        let bench = try await PushBench(Self.file(device), allUsers: People("ada"))
        try await Self.open(1, bench)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        let former = try #require(await Self.channels(bench).first)
        bench.allUsers.become(nil)
        try await bench.deliver()
        #expect(await eventually { await Self.channels(bench).map(\.isEnding) == [true] })
        #expect(await Self.channels(bench).map(\.isRead) == [false])
        bench.allUsers.become("bob")
        #expect(await eventually { await Self.channels(bench).contains { $0.id != former.id && !$0.isEnding } })
        await bench.end()
    }

    @Test("without a request for the end, a registration ends here and at the service")
    func noUnregister() async throws {
        let lines = Self.device.split(separator: "\n").filter { !$0.contains("unregister") }
        let bench = try await PushBench(Self.file(lines.joined(separator: "\n")))
        try await Self.open(1, bench)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        _ = try await bench.ask(.post, "/v1/push/registrars/it/unsubscribe", "{}")
        try await bench.deliver()
        #expect(await eventually { await Self.channels(bench).map(\.isEnding) == [true] })
        #expect(try await bench.stands("unregistered"))
        await bench.end()
    }

    @Test("after a switch, the channels of the other environment end")
    func switched() async throws {
        let folder = try TemporaryFolder()
        var bench = try await PushBench(Self.file(Self.device), in: folder)
        try await Self.open(1, bench)
        let former = try #require(await Self.channels(bench).first)
        await bench.end()
        bench = try await PushBench(Self.file(Self.device), environment: "stage", in: folder, isAlone: false)
        #expect(await eventually { await Self.channels(bench).contains { $0.id != former.id } })
        // A service that still runs would replace it.
        #expect(await Self.channels(bench).allSatisfy { !$0.isEnding })
        await bench.service.predecessorsDidStop()
        #expect(await eventually { await Self.channels(bench).first { $0.id == former.id }?.isEnding ?? false })
        #expect(await eventually { await Self.accounts(bench).count == 2 })
        let accounts = await Self.accounts(bench).asyncCompactMap { account in
            (try? await account.state.channels.first?.id) == former.id ? account : nil
        }
        let account = try #require(accounts.first)
        try await account.closed(former.id)
        #expect(await Self.accounts(bench).count == 1)
        await bench.end()
    }

    @Test("another server of a registrar gets a channel of its own")
    func otherServer() async throws {
        let folder = try TemporaryFolder()
        var bench = try await PushBench(Self.file(Self.device), in: folder)
        try await Self.open(1, bench)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        let former = try #require(await Self.channels(bench).first)
        await bench.end()
        let other = Self.device.replacing("https://api.example.com", with: "https://api.example.com/other")
        bench = try await PushBench(Self.file(other), in: folder)
        try await Self.open(2, bench)
        // Messages of the former server are read until the new one has the device.
        #expect(await Self.channels(bench).allSatisfy { !$0.isEnding })
        try await bench.deliver()
        #expect(await eventually { await Self.channels(bench).first { $0.id == former.id }?.isEnding ?? false })
        #expect(await Self.channels(bench).allSatisfy { $0.isRead })
        await bench.end()
    }

    @Test("a service that forgets the device gets other keys, once in a while")
    func forgotten() async throws {
        let bench = try await PushBench(Self.file(Self.device))
        try await Self.open(1, bench)
        let (former, accounts) = (await Self.channels(bench), await Self.accounts(bench))
        let account = try #require(accounts.first)
        #expect(try await account.forgotten())
        let channels = await Self.channels(bench)
        #expect(channels.count == 1 && channels.map(\.id) != former.map(\.id))
        #expect(try await account.state.name == nil)
        #expect(try await !account.forgotten())
        await bench.end()
    }

    @Test("a few channels wait for a distributor that is absent, so that it removes them", arguments: [3, 20])
    func unopened(_ count: Int) async throws {
        let bench = try await PushBench(Self.distributed(Self.person), allUsers: People())
        for _ in 0..<count {
            bench.allUsers.become("ada")
            #expect(await eventually { await Self.channels(bench).contains { !$0.isEnding } })
            bench.allUsers.become(nil)
            #expect(await eventually { await Self.channels(bench).allSatisfy(\.isEnding) })
        }
        #expect(await Self.channels(bench).count == min(count, 16))
        await bench.end()
    }

    @Test("a channel ends once its server has the token of another provider")
    func otherProvider() async throws {
        let folder = try TemporaryFolder()
        let token = String(repeating: "a1", count: 32)
        let bench = try await PushBench(
            Self.file(Self.device, providers: "[webPush, apns]"),
            in: folder,
            sources: Sources(["apns": token])
        )
        try await Self.open(1, bench)
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        _ = try await bench.ask(.put, "/v1/push/providers", #"{"providers":["apns"]}"#)
        #expect(await eventually { !bench.outbox.waiting.isEmpty })
        #expect(await Self.channels(bench).map(\.isEnding) == [false])
        // A request that another one has replaced is dropped first.
        _ = try await eventually {
            try await bench.outbox.deliver()
            return await Self.channels(bench).first?.isEnding ?? false
        }
        #expect(await Self.channels(bench).first?.isEnding == true)
        await bench.end()
    }

    @Test("where the service rejects a channel, the server gets the token of the next provider")
    func nextProvider() async throws {
        let token = String(repeating: "a1", count: 32)
        let registrar = "it: { type: rest, url: https://api.example.com, needs: [], register: { body: '{{ token }}' } }"
        let bench = try await PushBench(
            Self.file("    \(registrar)", providers: "[webPush, apns]"),
            sources: Sources(["apns": token])
        )
        #expect(await eventually { await Self.channels(bench).count == 1 })
        try await bench.outbox.deliver()
        #expect(bench.server.asked.isEmpty)
        let channel = try #require(await Self.channels(bench).first)
        await Self.accounts(bench).first?.rejected(channel.id, because: "status 400")
        let hasNext = try await eventually {
            bench.bench.clock.pass(.seconds(1))
            try await bench.outbox.deliver()
            return bench.server.asked.last?.body.contains(token) ?? false
        }
        #expect(hasNext)
        await bench.end()
    }

    @Test("at another service of the file all channels are new")
    func otherService() async throws {
        let folder = try TemporaryFolder()
        var bench = try await PushBench(Self.file(Self.device), in: folder)
        try await Self.open(1, bench)
        let former = await Self.channels(bench)
        await bench.end()
        bench = try await PushBench(Self.file(Self.device, service: "wss://other.example.net"), in: folder)
        #expect(
            await eventually {
                let channels = await Self.channels(bench)
                return channels.count == 1 && channels != former
            }
        )
        #expect(await Self.channels(bench).first?.endpoint == nil)
        await bench.end()
    }

    @Test("a service that rejects the sender's key is told, and no channel is asked for again")
    func rejected() async throws {
        let bench = try await PushBench(Self.file(Self.device))
        #expect(await eventually { await Self.channels(bench).count == 1 })
        let channel = try #require(await Self.channels(bench).first)
        await Self.accounts(bench).first?.rejected(channel.id, because: "status 400")
        let isTold = try await eventually { try await bench.registrar()["reason"]?.string?.contains("400") ?? false }
        #expect(isTold)
        #expect(await Self.channels(bench) == [channel])
        await bench.end()
    }

    @Test(
        "mistakes in a file are reported",
        arguments: [
            ("halo", "{}", "push.registrars.it supports none of the providers in use"),
            (
                "altcraft, url: https://pxl.example.com, rToken: r, platform: ios", "{}",
                "push.registrars.it: platform 'ios' supports none of the providers in use"
            ),
            (
                "healthCloud, path: p, apiKey: k, providers: [webPush, webPush]", "{}",
                "push.registrars.it.providers has 'webPush' more than once"
            ),
            (
                "healthCloud, path: p, apiKey: k, providers: [apns]", "{}",
                "push.registrars.it.providers has 'apns', which has no token source"
            ),
            ("rest, url: devices, register: {}, vapid: BF5o", "{}", "expected the public VAPID key of an app server"),
            ("rest, url: devices, register: {}, vapid: q1dXpw3UpT5VOmu_cf_v6i", "{}", "found something else"),
            ("rest, url: devices, register: {}", "~", "push.tokens.webPush needs a 'notifications' section"),
        ]
    )
    func rules(registrar: String, notifications: String, message: String) {
        let text = """
            version: 1
            app: { id: com.example.tasks }
            baseUrl: https://api.example.com
            push:
              providers: [webPush]
              tokens: { webPush: { type: autopush, url: "wss://push.example.net" } }
              registrars: { it: { type: \(registrar) } }
            notifications: \(notifications)
            """
        do throws(Unread) {
            _ = try SectionInFile<PushSection>(file: text)
            Issue.record("no problem was found")
        } catch {
            #expect(error.text.contains(message), "\(error.text)")
        }
    }
}
