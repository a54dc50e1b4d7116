import WireConfig
import WirePush
import WireService

extension Corewire.Push {
    /// How an Altcraft platform finds the profile of an event.
    public struct Matching: Sendable {
        /// The kind: `email_profile`, `push_sub` and others of the platform.
        public var type: String
        /// The database to search.
        public var database: Int
        /// The search criteria: `email`, `phone`, `profile_id` and others.
        public var identifiers: [String: String]

        /// Makes a search of a database.
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

    /// A subscription related to an event.
    public struct EventSubscription: Sendable {
        /// The channel of a subscription.
        public enum Channel: Sendable {
            /// An email address, a phone number, or a push token.
            case email(String), sms(String), push(Provider, token: String)
            /// Another channel, by its name, with its members.
            case other(String, [String: Value])
        }

        /// The resource of the platform.
        public var resource: Int
        /// The channel.
        public var channel: Channel
        /// `subscribed`, `unsubscribed` and others; nil for no change.
        public var status: String?
        /// The priority among several subscriptions.
        public var priority: Int?
        /// The categories.
        public var categories: [String] = []
        /// Fields of the subscription.
        public var customFields: [String: Value] = [:]

        /// Makes a subscription at a resource.
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
