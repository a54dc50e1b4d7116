import Support
import Testing
import WireConfig
import WirePush
import WirePushContract
import WireService
import Workbench

@Suite("The distributor of a Web Push channel", .timeLimit(.minutes(2)))
struct ChannelDistributorTests {
    private static func bench(_ service: String) async throws -> (PushBench, any WebPushAccount) {
        let bench = try await PushBench(
            """
            push:
              providers: [webPush]
              tokens: { webPush: { \(service) } }
              registrars:
                it: { type: rest, url: https://api.example.com, needs: [], register: { body: "{{ endpoint }}" } }
            notifications: {}

            """,
            environment: "prod",
            embedded: false
        )
        func accounts() async -> [any WebPushAccount] {
            (try? await Abilities(bench.service.abilities)[ServiceAbility.webPush]?.accounts) ?? []
        }
        #expect(await eventually { await !accounts().isEmpty })
        return (bench, try #require(await accounts().first))
    }

    @Test("the name of the distributor that gave the endpoint is stored with the channel, and replaced with it")
    func stored() async throws {
        let (bench, account) = try await Self.bench("type: distributor")
        let channel = try #require(try await account.state.channels.first?.id)
        #expect(try await account.state.channels.first?.distributor == nil)
        for name in ["org.unifiedpush.Distributor.alpha", "org.unifiedpush.Distributor.kde"] {
            try await account.opened(channel, at: "https://push.example.net/1", as: name)
            #expect(try await account.state.channels.map(\.distributor) == [name])
            #expect(try await account.state.name == nil)
        }
        await bench.end()
    }

    @Test("the name of an account at another service is not that of a distributor")
    func account() async throws {
        let (bench, account) = try await Self.bench(#"type: autopush, url: "wss://push.example.net""#)
        let channel = try #require(try await account.state.channels.first?.id)
        try await account.opened(channel, at: "https://push.example.net/1", as: "name")
        #expect(try await account.state.name == "name")
        #expect(try await account.state.channels.map(\.distributor) == [nil])
        await bench.end()
    }
}
