import WireAuth
import WireAuthContract
import WireBase
import WireConfig
import WireService

extension Corewire {
    /// The user who is signed in: what the identity server has said, checked.
    public struct User: Sendable, Hashable {
        /// The name the server has for this user, for ever (`sub`).
        public let subject: String
        /// The server.
        public let issuer: String
        /// The name of this very session: the same user signed in anew has another one.
        public let session: String
        /// A name to show.
        public let name: String?
        /// The name the user signs in with.
        public let userName: String?
        /// The address.
        public let email: String?
        /// Whether the server has made sure of the address.
        public let isEmailVerified: Bool
        /// The given name.
        public let firstName: String?
        /// The family name.
        public let lastName: String?
        /// What the user may do: the roles of Keycloak's realm, and those of a claim `roles`.
        public let roles: [String]
        /// All claims, as one JSON object.
        public let json: String
        private let rolesOfClients: [String: [String]]

        /// What the user may do at one client, as Keycloak says it.
        public func roles(at client: String) -> [String] { rolesOfClients[client] ?? [] }

        /// A claim of the server's own, read as a type; nil where the server has said nothing of the name.
        ///
        /// Dates are text as in ISO 8601.
        public func claim<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws(CorewireError)
            -> Value?
        {
            guard let value = claims[name] else { return nil }
            if case .null = value { return nil }
            return try CodedJSON.value(of: value.bytes(), as: type, named: "the claim \(name.quoted)")
        }

        private let claims: JSONValue

        /// Whether the server has said the same of both, in the same session.
        public static func == (left: Self, right: Self) -> Bool {
            left.issuer == right.issuer && left.subject == right.subject && left.session == right.session
                && left.json == right.json
        }

        /// The user of a session.
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
