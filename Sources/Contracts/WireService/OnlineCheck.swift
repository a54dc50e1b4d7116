package import WireBase
package import WireConfig
package import WireHTTP
package import WireSecrets

/// A section whose servers can be asked whether they agree with the file.
package protocol OnlineChecked: Section {
    /// What there is to ask in an environment with servers of its own.
    ///
    /// Values whose references lead nowhere here are uncertain; nothing is asked that needs one.
    func onlineChecks(in environment: EnvironmentFacts) -> [OnlineCheck]
}

/// One conversation with a server, for `validate-config --online`.
///
/// No credential, no secret and no user is part of it, and nothing it does changes anything.
package struct OnlineCheck: Sendable {
    /// Where the file names the server.
    package let place: Place
    /// The key path of that value.
    package let path: String
    package let ask: @Sendable (OnlineMeans) async -> [OnlineFinding]

    package init(
        at place: Place,
        about path: String,
        ask: @escaping @Sendable (OnlineMeans) async -> [OnlineFinding]
    ) {
        (self.place, self.path, self.ask) = (place, path, ask)
    }
}

/// What questions are asked with.
package struct OnlineMeans: Sendable {
    /// Sends within the time there is, and the same question once, whoever asks.
    package let client: any HTTPClient
    package let secrecy: any Secrecy
    package let clock: Clockwork
    /// Makes a path of the services file one that can be read.
    package let path: @Sendable (String) -> String

    package init(
        client: any HTTPClient,
        secrecy: any Secrecy,
        clock: Clockwork,
        path: @escaping @Sendable (String) -> String
    ) {
        (self.client, self.secrecy, self.clock, self.path) = (client, secrecy, clock, path)
    }
}

/// What a server does not agree with, at the value of the file that says otherwise.
package struct OnlineFinding: Sendable {
    package let code: Code
    package let place: Place
    package let path: String
    package let message: String
    package let help: [Advice]
    /// Where it stands, in a file that the value names; nil where it is about the value itself.
    package var spot: SourceRange?
    /// Other places that belong to it, each with a phrase.
    package var related: [(place: SourceRange, text: String)] = []

    package init(_ code: Code, at place: Place, about path: String, _ message: String, help: Advice?...) {
        (self.code, self.place, self.path, self.message) = (code, place, path, message)
        self.help = help.compactMap(\.self)
    }

    /// A server that could not be spoken to; `isTrust` where it was there and could not be believed.
    ///
    /// Told in one way, so that everybody who meets with it tells the same.
    package static func unreached(
        at place: Place,
        about path: String,
        _ reason: String,
        isTrust: Bool,
        help: Advice? = nil
    ) -> Self {
        Self(
            isTrust ? .untrustedCertificate : .unreachableServer,
            at: place,
            about: path,
            "\(path): \(reason)",
            help: help
        )
    }
}
