import Foundation
import Support
import Testing
import WireBackendContract
import WireConfig

/// The autopush server, with receivers of the package `websockets` and `pywebpush` as the sender.
struct AutopushHouse: Sendable {
    let house: House
    let web: Web
    let peers: WebPushPeers

    static let channel = "5f0c7ee1-0b5d-4f8e-9a3a-3f4a2b1c0d9e"
    static let other = "0b0c7ee1-0b5d-4f8e-9a3a-3f4a2b1c0d9e"

    /// pywebpush makes VAPID tokens by the clock of the machine.
    static func clock() -> HandClock { HandClock(wall: Int64(Date().timeIntervalSince1970) * 1_000) }

    static func run(
        in folder: TemporaryFolder? = nil,
        clock: HandClock = clock(),
        _ play: @escaping @Sendable (AutopushHouse) async throws -> Void
    ) async throws {
        try await House.run(in: folder, clock: clock) { house in
            let address = try #require(house.pushing?.autopush())
            #expect(address.hasPrefix("ws://127.0.0.1:") && address.hasSuffix("/autopush"))
            try await play(
                AutopushHouse(
                    house: house,
                    web: Web(#require(house.base)),
                    peers: WebPushPeers(of: address)
                )
            )
        }
    }

    /// Connects a new receiver and registers its channel.
    func connect(_ receiver: String) async throws -> (uaid: String, endpoint: String) {
        (try await peers.greet(receiver), try await peers.register(receiver, Self.channel))
    }

    /// The path of an endpoint or message.
    func path(_ address: String) throws -> String { try #require(URL(string: address)).path }

    /// Sends a message without content; returns the status, with the error number or the place of the message.
    @discardableResult
    func post(_ endpoint: String, _ fields: [String] = ["TTL: 60"], body: String = "") async throws -> String {
        let answer = try await web.ask("POST", path(endpoint), fields, body: body)
        return "\(answer.status) \(answer.json["errno"]?.integer.map(String.init) ?? answer["Location"] ?? "")"
    }
}
