import WireConfig
import WirePush
import WireService

extension Corewire.Push {
    /// How an Altcraft platform finds whom an event is about.
    public struct Matching: Sendable {
        /// The kind: `email_profile`, `push_sub` and others the platform knows.
        public var type: String
        /// The database that is searched.
        public var database: Int
        /// What it is searched for: `email`, `phone`, `profile_id` and so on.
        public var identifiers: [String: String]

        /// A search of a database.
        public init(_ type: String, database: Int, identifiers: [String: String]) {
            (self.type, self.database, self.identifiers) = (type, database, identifiers)
        }

        var json: JSONValue {
            .object(
                [("db_id", .integer(database)), ("matching", .string(type))]
                    + identifiers.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }
            )
        }
    }

    /// A subscription an event has to do with.
    public struct EventSubscription: Sendable {
        /// By what somebody is reached.
        public enum Channel: Sendable {
            /// An address, a number, a token.
            case email(String), sms(String), push(Provider, token: String)
            /// Another channel, by its name, with what it needs.
            case other(String, [String: Value])
        }

        /// The resource of the platform it is at.
        public var resource: Int
        /// By what somebody is reached.
        public var channel: Channel
        /// `subscribed`, `unsubscribed` and others; as it is where nil.
        public var status: String?
        /// Which of several comes first.
        public var priority: Int?
        /// What the user wants to hear about.
        public var categories: [String] = []
        /// Fields of the subscription.
        public var customFields: [String: Value] = [:]

        /// A subscription at a resource.
        public init(resource: Int, _ channel: Channel) { (self.resource, self.channel) = (resource, channel) }

        var json: JSONValue {
            var members: [(key: String, value: JSONValue)] = [("resource_id", .integer(resource))]
            switch channel {
            case .email(let address): members += [("email", .string(address)), ("channel", .string("email"))]
            case .sms(let number): members += [("phone", .string(number)), ("channel", .string("sms"))]
            case .push(let provider, let token):
                members += [
                    ("provider", .string(provider.rawValue)), ("subscription_id", .string(token)),
                    ("channel", .string("push")),
                ]
            case .other(let name, let data): members += [("channel", .string(name)), ("cc_data", Self.object(data))]
            }
            if let status { members.append(("status", .string(status))) }
            if let priority { members.append(("priority", .integer(priority))) }
            if !categories.isEmpty {
                members.append(("cats", .array(categories.map { AltcraftParameters.Category($0).json })))
            }
            if !customFields.isEmpty { members.append(("customFields", Self.object(customFields))) }
            return .object(members)
        }

        private static func object(_ fields: [String: Value]) -> JSONValue {
            .object(fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value.json) })
        }
    }
}
