import Foundation
import Support
import Testing

@Suite("Session events")
struct AuthEventTests {
    static let sections = """
        auth: { flow: password, username: ada, password: wonder }
        backends: { issuer: { users: { ada: { password: wonder } } } }

        """
    static let apps = """
        apps:
          kiosk: { token: "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk-app", tokens: [user], access: read }
          sign: { token: "ssssssssssssssssssssssssssssssss-app", access: read }

        """

    /// The event of the sign-in as it is told to a caller: once it has come, from what is kept, and while it is followed.
    private func told(_ address: LoopbackAddress, _ rights: [String]) async throws -> [String] {
        let kept = try await address.ask("GET", "/v1/events?follow=false&name=auth.signedIn", rights).text
        let client = try await RawClient.connect(to: .tcp("127.0.0.1", address.port))
        let fields = (rights + ["Host: 127.0.0.1:\(address.port)", "Last-Event-ID: 1"]).joined(separator: "\r\n")
        try await client.send("GET /v1/events?name=auth.signedIn HTTP/1.1\r\n\(fields)\r\n\r\n")
        _ = try await client.head()
        let reader = EventReader(client)
        var followed: EventReader.Event?
        repeat { followed = try await reader.next() } while followed != nil && followed?.event != "auth.signedIn"
        try await reader.close()
        return [kept, followed?.data ?? ""]
    }

    @Test("an app without rights to the session learns that a user is signed in, and no session id")
    func session() async throws {
        let address = try await LoopbackAddress.open(Self.apps, sections: Self.sections)
        let owner = LoopbackAddress.rights()
        let isSignedIn = try await eventually {
            try await address.ask("GET", "/v1/auth", owner).text.contains("\"signedIn\"")
        }
        #expect(isSignedIn)
        for (rights, mayKnow) in [
            (owner, true), (LoopbackAddress.rights(TokenTests.token("kiosk")), true),
            (LoopbackAddress.rights(TokenTests.token("sign")), false),
        ] {
            let status = try await address.ask("GET", "/v1/auth", rights)
            #expect(status.text.contains("\"session\"") == mayKnow, "\(status.text)")
            for event in try await told(address, rights) {
                #expect(event.contains("\"mode\":\"user\""), "\(event)")
                #expect(event.contains("\"session\"") == mayKnow, "\(event)")
            }
        }
        try await address.runner.stop()
    }
}
