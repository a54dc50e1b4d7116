import Support
import Testing
import WireBase
import WireConfig
import WireService

/// A device that speaks to the Altcraft platform, with a role token or as a person.
struct AltcraftDevice: Sendable {
    let push: PushHouse
    var authorization = "Authorization: Bearer rtoken@role"
    var provider = "ios-apns"
    var token = PushHouse.token
    /// What stands in every query besides.
    var mode = "push_sub"

    /// Two people by their claims, one whose claim is not as it must be, and one who has none.
    static let issuer = """
        users:
          ada: { password: wonder, claims: { matching: '{"db_id":1,"matching":"email","email":"ada@example.com"}' } }
          bob: { password: builder, claims: { matching: '{"db_id":1,"matching":"email","email":"bob@example.com"}' } }
          cyd: { password: c, claims: { matching: { db_id: 1, matching: email, email: x } } }
          eve: { password: evil, claims: { matching: '{"db_id":1,"matching":"email"}' } }
          sub: { password: s, claims: { matching: '{"db_id":1,"matching":"push_sub"}' } }
          nobody: { password: n }
        clients:
          phone:
            redirectUris: ["com.example.phone:/callback"]
          server: { secret: hush }
        """

    static func run(
        in folder: TemporaryFolder? = nil,
        clock: HandClock = HandClock(),
        _ play: @escaping @Sendable (AltcraftDevice) async throws -> Void
    ) async throws {
        try await PushHouse.run(in: folder, clock: clock, issuer: issuer) { try await play(AltcraftDevice(push: $0)) }
    }

    /// The same as somebody who has signed in.
    func signedIn(_ name: String, _ password: String) async throws -> AltcraftDevice {
        var device = self
        let browser = try push.house.browser()
        let told = try await browser.signIn(name, password, ["scope": "openid profile"])
        let tokens = try await browser.redeem(told["code"] ?? "").json
        device.authorization = "Authorization: Bearer \(tokens["access_token"]?.string ?? "")"
        device.mode = "email"
        return device
    }

    func ask(_ path: String, _ query: String, _ body: String, _ fields: [String] = []) async throws
        -> RawClient.Answer
    {
        try await push.web.send("POST", "/altcraft/\(path)?\(query)", body, fields + [authorization])
    }

    func subscribe(
        _ status: String = "subscribed",
        sync: String = "1",
        more: String = "",
        inner: String = "",
        _ fields: [String] = []
    ) async throws -> RawClient.Answer {
        try await ask(
            "subscription/push/subscribe/",
            "provider=\(provider)&matching_mode=\(mode)&sync=\(sync)",
            """
            {"time":1760000000,"subscription_id":"\(token)","subscription":{"subscription_id":"\(token)",
             "provider":"\(provider)","status":"\(status)"\(inner.isEmpty ? "" : ",\(inner)")}\
            \(more.isEmpty ? "" : ",\(more)")}
            """,
            fields
        )
    }

    func status(_ query: String) async throws -> RawClient.Answer {
        try await push.web.get("/altcraft/subscription/push/status/?matching_mode=\(mode)&\(query)", [authorization])
    }

    var current: String {
        get async throws {
            let answer = try await status("provider=\(provider)&subscription_id=\(token)")
            return answer.json["profile"]?["subscription"]?["status"]?.string ?? "none"
        }
    }

    /// What the platform sends from its own pages.
    func send(_ message: String, to: String = "{}") async throws -> RawClient.Answer {
        let body = #"{"message":\#(message),"to":\#(to)}"#
        return try await push.web.send("POST", "/altcraft/corewire/send", body, [push.sender])
    }

    func event(_ parts: [(String, String)], _ query: String = "i=sid&tr=px&t=open&v=2") async throws
        -> RawClient.Answer
    {
        let body =
            parts.map { name, text in
                "--edge\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n"
            }.joined() + "--edge--\r\n"
        let type = "Content-Type: multipart/form-data; boundary=edge"
        return try await push.web.ask("POST", "/altcraft/event/post?\(query)", [authorization, type], body: body)
    }
}
