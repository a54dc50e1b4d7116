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

/// The push servers with somebody who has the master secret, and a variant whose secret is known.
struct PushHouse: Sendable {
    let house: House
    let web: Web
    /// Where the UnifiedPush server is, and Altcraft's API, as paths.
    let pushing: any EmbeddedPushing
    /// The `Authorization` field of whoever sends, and of the variant.
    let sender: String
    let variant: String

    static let secret = "master"
    static let token = String(repeating: "a1", count: 32)
    static let other = String(repeating: "b2", count: 32)
    static let android = String(repeating: "aZ_9:", count: 30)

    static func run(
        _ push: String = "masterSecret: master",
        more: String = "",
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        issuer: String = House.issuer,
        _ play: @escaping @Sendable (PushHouse) async throws -> Void
    ) async throws {
        try await House.run(issuer, more: Self.more(push, more), in: folder, clock: clock) { house in
            try await play(PushHouse(house))
        }
    }

    static func more(_ push: String, _ more: String = "") -> String { "  push: { \(push) }\n" + more }

    init(_ house: House) async throws {
        self.house = house
        web = try Web(#require(house.base))
        pushing = try #require(house.pushing)
        let address = pushing.unifiedPush("mobile", admitting: "phones", secret: Secret("quiet"))
        #expect(address.hasSuffix("/ups"))
        _ = pushing.altcraft("crm", admitting: Secret("role"), webPush: nil)
        pushing.healthCloud("clinic", at: "/mako/notifications", header: "x-api-key", key: Secret("key"))
        let id = try #require(try await house.local(.get, "/v1/backends/push").json["applicationId"]?.string)
        sender = "Authorization: Basic " + Data("\(id):\(Self.secret)".utf8).base64EncodedString()
        variant = "Authorization: Basic " + Data("phones:quiet".utf8).base64EncodedString()
    }

    var application: String {
        get async throws { try await house.local(.get, "/v1/backends/push").json["applicationId"]?.string ?? "" }
    }

    // MARK: UnifiedPush

    func register(_ token: String, _ more: String = "", _ fields: [String] = []) async throws -> RawClient.Answer {
        let body = #"{"deviceToken":"\#(token)"\#(more.isEmpty ? "" : ",")\#(more)}"#
        return try await web.send("POST", "/ups/rest/registry/device", body, [variant] + fields)
    }

    @discardableResult
    func send(_ body: String) async throws -> Int {
        try await web.send("POST", "/ups/rest/sender", body, [sender]).status
    }

    /// The tokens of what waits, in the order it was sent; nothing is taken.
    func waiting(_ count: Int) async throws -> [CarriedPush] {
        var found: [CarriedPush] = []
        guard count > 0 else { return found }
        for await push in pushing.pushes() {
            found.append(push)
            if found.count == count { break }
        }
        return found
    }

    func take(_ pushes: [CarriedPush]) async { for push in pushes { await pushing.acknowledge(push.id) } }

    func overview() async throws -> JSONValue { try await house.local(.get, "/v1/backends/push").json }

    func overview(of server: String) async throws -> JSONValue {
        let servers = try await overview()["servers"]?.array ?? []
        return try #require(servers.first { $0["name"]?.string == server })
    }
}

extension House {
    var pushing: (any EmbeddedPushing)? {
        Abilities(service.abilities)[.embeddedPushing]
    }

    struct LocalAnswer: Sendable {
        let status: Int
        let json: JSONValue
    }

    /// As somebody asks the local API.
    func local(_ method: WireHTTP.Method, _ path: String, _ body: String = "") async throws -> LocalAnswer {
        for route in service.routes where route.pattern == path && route.method == method {
            guard case .work(let work) = route.handler, let target = Target(parsing: path) else { continue }
            var request = Request(method: method, target: target, fields: [:], caller: .address("127.0.0.1"))
            request.body = Array(body.utf8)
            do {
                let response = try await work(request)
                guard case .bytes(let bytes) = response.body else { break }
                return LocalAnswer(
                    status: response.status.code,
                    json: try JSONValue(parsing: bytes, named: "answer")
                )
            } catch let problem as Problem {
                let pointer = problem.spot.map { JSONValue.string($0.pointer) }
                return LocalAnswer(
                    status: problem.status.code,
                    json: .members(["detail": .string(problem.detail), "pointer": pointer])
                )
            } catch let failure as BackendFailure {
                return LocalAnswer(status: Problem(failure).status.code, json: .string(failure.reason))
            }
        }
        throw Unread(text: "no such route: \(path)")
    }
}
