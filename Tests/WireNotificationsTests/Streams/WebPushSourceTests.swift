import Testing
import WireBase
import WireConfig
import WirePushContract

@testable import WireNotifications

@Suite("Connections to Web Push services")
struct WebPushSourceTests {
    private struct Account: WebPushAccount {
        let id: String
        let service: WebPushServer
        var name: String { "push.webPush.\(id)" }
        let generation: String
        var state: WebPushState { WebPushState(name: nil, channels: []) }

        func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
        func opened(_ channel: String, at endpoint: String, as name: String?) async throws(Fault) {}
        func rejected(_ channel: String, because reason: String) {}
        func delayed(_ channel: String, because reason: String) {}
        func closed(_ channel: String) async throws(Fault) {}
        func forgotten() async throws(Fault) -> Bool { true }
        func decrypt(_ body: [UInt8], of channel: String) throws(Fault) -> DecryptedPush { .unreadable("") }
    }

    private struct Accounts: WebPushAccounts {
        let accounts: [any WebPushAccount]

        init(_ kind: WebPushServer.Kind, _ ids: [String] = ["a", "b"], generation: String = "1") {
            accounts = ids.map { Account(id: $0, service: WebPushServer(kind, from: nil), generation: generation) }
        }

        func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    }

    private static let url = Address(known: "https://push.example.com")

    @Test("each account has a connection, except on the bus, where the app has one name")
    func connections() async throws {
        #expect(try await Accounts(.autopush(Self.url)).sources.count == 2)
        #expect(try await Accounts(.ntfy(Self.url, token: nil)).sources.count == 2)
        #expect(try await Accounts(.distributor(nil)).sources.map(\.value.name) == ["push.webPush"])
        #expect(try await Accounts(.distributor(nil), []).sources.isEmpty)
    }

    @Test("a connection stays open until its service, token or name changes")
    func same() async throws {
        func source(_ accounts: Accounts) async throws -> any NotificationSource {
            try #require(await accounts.sources.min { $0.key < $1.key }?.value.source)
        }
        let kinds: [WebPushServer.Kind] = [
            .autopush(Self.url), .autopush(Address(known: "https://other.example.com")), .ntfy(Self.url, token: nil),
            .ntfy(Self.url, token: Secret("a")), .distributor(nil), .distributor("kde"),
        ]
        for (index, kind) in kinds.enumerated() {
            for (other, next) in kinds.enumerated() {
                let isSame = try await source(Accounts(kind)).isSame(as: source(Accounts(next, ["a", "c"])))
                #expect(isSame == (index == other), "\(index) \(other)")
            }
            #expect(try await !source(Accounts(kind)).isSame(as: source(Accounts(kind, generation: "2"))))
        }
    }
}
