import Foundation
import Support

/// A registrar in a services file, and what the rules need to know about its requests.
package struct RegistrarCase: Sendable, CustomStringConvertible {
    package let description: String
    /// The value under its name in `registrars`; `{base}` is the address of the server.
    let settings: String
    /// The other sections that it needs.
    let sections: String
    /// Every registration request contains one of these.
    let secrets: [String]
    /// Whether a request contains a token, and the former one.
    let tellsToken: @Sendable (PushServer.Seen, _ token: String) -> Bool
    let tellsFormer: @Sendable (PushServer.Seen, _ former: String) -> Bool
    /// Whether a request ends the registration of a token.
    let ends: @Sendable (PushServer.Seen, _ token: String) -> Bool
    /// A push of the server, and whether a request reports its opening; nil where the server does not want reports.
    let push: String?
    let tellsOpen: @Sendable (PushServer.Seen) -> Bool
    /// Whether it waits for a sign-in.
    let waitsForSignIn: Bool
    /// Whether its subscriptions can be suspended.
    let canSuspend: Bool
    /// Valid responses.
    let good: [PushServer.Answer]
    /// Responses with a good status that do not come from such a server.
    let strange: [PushServer.Answer]
    /// Whether rejections are reported with their status and the server's message.
    var tellsStatus: Bool { description != "halo" }

    package init(
        _ description: String,
        settings: String,
        sections: String = "",
        secrets: [String],
        tellsToken: @escaping @Sendable (PushServer.Seen, String) -> Bool,
        tellsFormer: @escaping @Sendable (PushServer.Seen, String) -> Bool,
        ends: @escaping @Sendable (PushServer.Seen, String) -> Bool,
        push: String? = nil,
        tellsOpen: @escaping @Sendable (PushServer.Seen) -> Bool = { _ in false },
        waitsForSignIn: Bool = false,
        canSuspend: Bool = false,
        good: [PushServer.Answer] = Self.usual,
        strange: [PushServer.Answer] = []
    ) {
        (self.description, self.settings, self.sections, self.secrets) = (description, settings, sections, secrets)
        (self.tellsToken, self.tellsFormer, self.ends) = (tellsToken, tellsFormer, ends)
        (self.push, self.tellsOpen, self.good) = (push, tellsOpen, good)
        (self.waitsForSignIn, self.canSuspend) = (waitsForSignIn, canSuspend)
        self.strange = Self.pages + strange
    }

    package static let usual = [PushServer.Answer(200), .init(201, "{}"), .init(204), .init(200, "OK")]

    /// The responses of captive portals, and truncated ones.
    private static let pages = [
        PushServer.Answer(200, "<html><body>hello</body></html>", ["Content-Type": "text/html"]),
        .init(200, "\n<!DOCTYPE html><title>Welcome</title>"), .init(201, #"{"id":"d-1","deviceToken":"a1a1"#),
    ]

    func file(_ server: PushServer) -> String {
        let settings = settings.replacing("{base}", with: server.base)
        let sections = sections.replacing("{base}", with: server.base)
        return """
            version: 1
            app: { id: com.example.tasks, version: 1.4.0 }
            environment: dev
            environments: { dev: { baseUrl: "\(server.base)" } }
            network: {}
            background: { retry: { min: 100ms, max: 1s, attempts: 1000 } }
            push:
              providers: [apns]
              tokens: { apns: { file: "\(server.folder.url.path)/token" } }
              registrars: { it: \(settings) }
            \(sections)
            api: {}

            """
    }
}
