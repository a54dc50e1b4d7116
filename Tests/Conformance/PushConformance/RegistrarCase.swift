import Foundation
import Support

/// A registrar as a services file has it, and what the rules need to know of what it sends.
package struct RegistrarCase: Sendable, CustomStringConvertible {
    package let description: String
    /// The value under its name in `registrars`; `{base}` is where the server is.
    let settings: String
    /// Other sections it needs.
    let sections: String
    /// Every request of a registration holds one of these.
    let secrets: [String]
    /// Whether a request tells a token, and the former one.
    let tellsToken: @Sendable (PushServer.Seen, _ token: String) -> Bool
    let tellsFormer: @Sendable (PushServer.Seen, _ former: String) -> Bool
    /// Whether a request ends the registration with a token.
    let ends: @Sendable (PushServer.Seen, _ token: String) -> Bool
    /// A push of the server's, and whether a request tells that it was opened; nil where it does not want to know.
    let push: String?
    let tellsOpen: @Sendable (PushServer.Seen) -> Bool
    /// Whether it waits until somebody signs in.
    let waitsForSignIn: Bool
    /// Whether its subscriptions can be suspended.
    let canSuspend: Bool
    /// What servers answer where all is well.
    let good: [PushServer.Answer]
    /// What comes with a good status, and from no such server.
    let strange: [PushServer.Answer]
    /// Whether refusals are told with their status and the server's words.
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

    /// As networks answer that want a sign-in first, and lines that are cut.
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
