package import WireBase
package import WireConfig
package import WireHTTP
package import WireSecrets

/// A section that can check its settings against the servers it names.
package protocol OnlineChecked: Section {
    /// The checks for an environment.
    ///
    /// Values whose references cannot be resolved here are uncertain; checks that need one are skipped.
    func onlineChecks(in environment: EnvironmentFacts, of configuration: Configuration) -> [OnlineCheck]
    /// Whether embedded servers leave those of the section as they are.
    static var isBesideEmbeddedServers: Bool { get }
    /// The paths of secrets that the checks need.
    var secretsOfChecks: Set<String> { get }
}

extension OnlineChecked {
    package static var isBesideEmbeddedServers: Bool { false }
    package var secretsOfChecks: Set<String> { [] }
}

/// One check against a server, for `validate-config --online`.
///
/// A check sends no user data, and changes nothing. The only credential it may send is the password of a database, which
/// answers nothing without it.
package struct OnlineCheck: Sendable {
    /// The location in the file that names the server.
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

/// The client and helpers for online checks.
package struct OnlineMeans: Sendable {
    /// A client with timeouts that sends each distinct request once and shares the response.
    package let client: any HTTPClient
    package let secrecy: any CryptoProvider
    package let clock: TimeSource
    /// Resolves a path of the services file.
    package let path: @Sendable (String) -> String
    package let offered: Abilities

    package init(
        client: any HTTPClient,
        secrecy: any CryptoProvider,
        clock: TimeSource,
        path: @escaping @Sendable (String) -> String,
        offered: Abilities
    ) {
        (self.client, self.secrecy, self.clock) = (client, secrecy, clock)
        (self.path, self.offered) = (path, offered)
    }
}

/// A difference between the file and a server, reported at the value in the file.
package struct OnlineFinding: Sendable {
    package let code: Code
    package let place: Place
    package let path: String
    package let message: String
    package let help: [Advice]
    /// The location in a file that the value names; nil for the value itself.
    package var spot: SourceRange?
    /// Related locations, each with a phrase.
    package var related: [(place: SourceRange, text: String)] = []

    package init(_ code: Code, at place: Place, about path: String, _ message: String, help: Advice?...) {
        (self.code, self.place, self.path, self.message) = (code, place, path, message)
        self.help = help.compactMap(\.self)
    }

    /// The finding for a server without a usable connection; `isTrust` where its certificate is not trusted.
    ///
    /// All checks share this message.
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
