import WireConfig

/// The regions in which answers are kept: apart by app, by environment, by server and by who is signed in.
///
/// All that could name a person or a server is a digest, since names stand in the file as they are.
package struct SyncScope: Sendable {
    /// What the regions of the app begin with, and those of the environment.
    package let app, environment: String
    /// The region of all who are not signed in.
    package let anonymous: String
    private let server: String
    private let digest: @Sendable ([UInt8]) -> String

    /// A scope for an app in an environment; the digest of some bytes is the same in each process of a group.
    package init(app: String, environment: String, server: String, digest: @escaping @Sendable ([UInt8]) -> String) {
        self.app = "sync/\(Self.part([app], digest))/"
        self.environment = "\(self.app)\(Self.part([environment], digest))/"
        self.server = Self.part([server], digest)
        anonymous = "\(self.environment)anonymous/\(self.server)/"
        self.digest = digest
    }

    /// What the regions of all users of the environment begin with.
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
