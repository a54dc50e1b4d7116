import WireConfig

/// The regions of answers: separate by app, environment, server and user.
///
/// Everything that could name a person or a server is a digest, since names are stored in clear.
package struct SyncScope: Sendable {
    /// The name prefixes of the app's and the environment's regions.
    package let app, environment: String
    /// The region of anonymous callers.
    package let anonymous: String
    private let server: String
    private let digest: @Sendable ([UInt8]) -> String

    /// Makes a scope for an app in an environment; the digest is the same in each process of a group.
    package init(app: String, environment: String, server: String, digest: @escaping @Sendable ([UInt8]) -> String) {
        self.app = "sync/\(Self.part([app], digest))/"
        self.environment = "\(self.app)\(Self.part([environment], digest))/"
        self.server = Self.part([server], digest)
        anonymous = "\(self.environment)anonymous/\(self.server)/"
        self.digest = digest
    }

    /// The name prefix of the regions of all users of the environment.
    package var users: String { "\(environment)\(Self.person)" }

    /// The region of a user.
    package func region(issuer: String, subject: String) -> String {
        "\(users)\(Self.part([issuer, subject], digest))/\(server)/"
    }

    private static let person = "u-"

    private static func part(_ texts: [String], _ digest: ([UInt8]) -> String) -> String {
        String(digest(JSONValue.array(texts.map(JSONValue.string)).bytes()).prefix(32))
    }
}
