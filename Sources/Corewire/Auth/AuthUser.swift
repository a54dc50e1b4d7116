import WireAuth
import WireAuthContract
import WireBase
import WireConfig
import WireService

extension Corewire {
    /// The signed-in user, from verified claims of the identity server.
    public struct User: Sendable, Hashable {
        /// The permanent id of the user at the server (`sub`).
        public let subject: String
        /// The URL of the server.
        public let issuer: String
        /// The session id: each sign-in has its own.
        public let session: String
        /// The display name.
        public let name: String?
        /// The name the user signs in with.
        public let userName: String?
        /// The email address.
        public let email: String?
        /// Whether the server has verified the address.
        public let isEmailVerified: Bool
        /// The given name.
        public let firstName: String?
        /// The family name.
        public let lastName: String?
        /// The roles of the user: those of Keycloak's realm, and those of a claim `roles`.
        public let roles: [String]
        /// All claims, as one JSON object.
        public let json: String
        private let rolesOfClients: [String: [String]]

        /// The roles of the user at a client, as in Keycloak.
        public func roles(at client: String) -> [String] { rolesOfClients[client] ?? [] }

        /// Decodes a claim; nil where the claim is absent.
        ///
        /// Dates are ISO 8601 text.
        public func claim<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws(CorewireError)
            -> Value?
        {
            guard let value = claims[name] else { return nil }
            if case .null = value { return nil }
            return try CodedJSON.value(of: value.bytes(), as: type, named: "the claim \(name.quoted)")
        }

        private let claims: JSONValue

        /// Whether both have the same claims in the same session.
        public static func == (left: Self, right: Self) -> Bool {
            left.issuer == right.issuer && left.subject == right.subject && left.session == right.session
                && left.json == right.json
        }

        /// Hashes the session.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(subject)
            hasher.combine(session)
        }

        init(_ user: SignedInUser) {
            subject = user.subject
            issuer = user.issuer
            session = user.session
            name = user.name
            userName = user.userName
            email = user.email
            isEmailVerified = user.isEmailVerified
            firstName = user.firstName
            lastName = user.lastName
            roles = user.roles
            claims = user.claims
            json = user.claims.text()
            let clients = user.claims["resource_access"]?.members ?? []
            rolesOfClients = Dictionary(
                clients.map { ($0.key, user.roles(at: $0.key)) },
                uniquingKeysWith: { first, _ in first }
            )
        }
    }
}
