import Testing
package import WireHTTP

/// A rule for every client, checked against a real server; a test target runs each check with its own client.
package struct ClientConformance: Sendable, CustomTestStringConvertible {
    /// The rule.
    package let testDescription: String
    /// Checks the rule with a client with default limits and a server of its own.
    package let check: @Sendable (any HTTPClient, HostileServer) async throws -> Void

    init(_ rule: String, _ check: @escaping @Sendable (any HTTPClient, HostileServer) async throws -> Void) {
        testDescription = rule
        self.check = check
    }

    package static let all = answers + brokenAnswers + requests + redirects + upgrades + cancellations
}
