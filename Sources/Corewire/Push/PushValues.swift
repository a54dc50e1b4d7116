public import FoundationEssentials
import WireBase
import WireConfig
import WireHTTP
import WirePushContract

extension Corewire.Push {
    /// A service that delivers pushes to devices.
    public enum Provider: String, Sendable, CaseIterable {
        /// Apple, Google, Huawei, Web Push.
        case apns, firebase, huawei, webPush

        var known: PushProvider {
            switch self {
            case .apns: .apns
            case .firebase: .firebase
            case .huawei: .huawei
            case .webPush: .webPush
            }
        }
    }

    /// The registration at a push server.
    public struct Registrar: Sendable, Hashable {
        /// The state of a registration.
        public enum State: String, Sendable {
            /// Registered.
            case registered
            /// Waiting for a token, a user, a permission or the network.
            case pending
            /// Registered, but the server sends no pushes.
            case suspended
            /// Not registered.
            case unregistered
            /// The server rejected the last request.
            case refused
            /// The last request failed for good.
            case failed
        }

        /// The name in the file.
        public let name: String
        /// The state.
        public let state: State
        /// Why the registration has this state.
        public let reason: String?
        /// The time of the first registration.
        public let since: Date?

        init(_ report: PushRegistrarReport) {
            name = report.name
            state =
                switch report.state {
                case .registered: .registered
                case .pending: .pending
                case .suspended: .suspended
                case .unregistered: .unregistered
                case .refused: .refused
                case .failed: .failed
                }
            (reason, since) = (report.reason, report.since.map(Date.init(milliseconds:)))
        }
    }

    /// Selects a subscription at an Altcraft platform.
    public enum StatusQuery: Sendable {
        /// The latest of the profile, the latest of the provider, or that of the current token.
        case latest, provider, current
    }

    /// A plain value.
    public enum Value: Sendable, Hashable {
        /// Text.
        case text(String)
        /// A whole number.
        case integer(Int)
        /// Any other finite number.
        case number(Double)
        /// True or false.
        case boolean(Bool)

        var json: JSONValue {
            switch self {
            case .text(let value): .string(value)
            case .integer(let value): .integer(value)
            case .number(let value): value.isFinite ? .number(value) : .null
            case .boolean(let value): .boolean(value)
            }
        }
    }

    /// A change of a profile field.
    public enum ProfileChange: Sendable, Hashable {
        /// Sets the value.
        case set(Value)
        /// Clears the field.
        case unset
        /// Adds to the number.
        case increment(Value)
        /// Adds to the list.
        case add(Value)
        /// Removes from the list.
        case delete(Value)
        /// Adds to the list unless it is there.
        case upsert(Value)

        var json: JSONValue {
            switch self {
            case .set(let value): Self.action("set", value)
            case .unset: Self.action("unset", nil)
            case .increment(let value): Self.action("incr", value)
            case .add(let value): Self.action("add", value)
            case .delete(let value): Self.action("delete", value)
            case .upsert(let value): Self.action("upsert", value)
            }
        }

        private static func action(_ name: String, _ value: Value?) -> JSONValue {
            .members(["action": .string(name), "value": value?.json])
        }
    }

    /// The settings of a subscription at an Altcraft platform that override the file.
    public struct Subscription: Sendable {
        /// Fields of the subscription.
        public var customFields: [String: Value] = [:]
        /// Fields of the profile.
        public var profileFields: [String: ProfileChange] = [:]
        /// The categories; nil for those of the file.
        public var categories: [String]?
        /// Whether to replace other subscriptions of the profile; nil as in the file.
        public var replace: Bool?
        /// Whether to suppress triggers of the platform; nil as in the file.
        public var skipTriggers: Bool?
        /// Whether the platform responds after storing; nil as in the file.
        public var sync: Bool?

        func request(to registrar: String) -> PushSubscription {
            var request = PushSubscription(registrar)
            if !customFields.isEmpty { request.customFields = JSONMap(customFields, \.json) }
            if !profileFields.isEmpty { request.profileFields = JSONMap(profileFields, \.json) }
            request.categories = categories?.map { PushSubscription.Category($0) }
            (request.replace, request.skipTriggers, request.sync) = (replace, skipTriggers, sync)
            return request
        }
    }

    /// An app event for an Altcraft platform.
    public struct AppEvent: Sendable {
        /// The pixel id.
        public var siteID: String
        /// The name of the event.
        public var name: String
        /// The client id of the web SDK.
        public var clientID: String?
        /// The payload.
        public var payload: [String: Value] = [:]
        /// The id of the push that led to the event.
        public var push: String?
        /// The profile of the event, where it is not that of the token.
        public var matching: Matching?
        /// The subscription of the event.
        public var subscription: EventSubscription?
        /// Changes of profile fields with the event.
        public var profileFields: [String: ProfileChange] = [:]
        /// The campaign parameters: campaign, content, keyword, medium, source, temp.
        public var utm: [String: String] = [:]

        /// Makes an event with a name, for a pixel.
        public init(_ name: String, siteID: String) { (self.name, self.siteID) = (name, siteID) }

        var posted: MobileEvent {
            get throws(CorewireError) {
                var event = MobileEvent(siteID: siteID, name: name)
                (event.clientID, event.push) = (clientID, push)
                if !payload.isEmpty { event.payload = JSONMap(payload, \.json).json }
                (event.matchingType, event.matching) = (matching?.type, matching?.json)
                event.subscription = subscription?.json
                if !profileFields.isEmpty { event.profileFields = JSONMap(profileFields, \.json).json }
                let known = MobileEvent.UTM.form.members.map(\.name)
                if let strange = utm.keys.sorted().first(where: { !known.contains($0) }) {
                    throw CorewireError(.badPushRequest, "found \(strange.quoted), expected \(known.listed("or"))")
                }
                event.utm = try CorewireError.rethrowing(try MobileEvent.UTM(texts: { [utm] name in utm[name] }))
                return event
            }
        }
    }

    /// Registered code that provides tokens; releasing this value removes it.
    public final class TokenCode: Sendable {
        private let ticket: Int
        private let code: PushTokenCode

        init(
            _ provider: Provider,
            get: @escaping @Sendable () async throws -> String?,
            delete: (@Sendable () async throws -> Void)?,
            in code: PushTokenCode
        ) {
            self.code = code
            let source = PushTokenCode.Source(get: { try await get().map { WireBase.Secret($0) } }, delete: delete)
            ticket = code.add(provider.rawValue, source)
        }

        deinit { code.remove(ticket) }
    }
}

extension JSONMap<JSONValue> {
    /// Converts named fields.
    init<Said>(_ fields: [String: Said], _ json: (Said) -> JSONValue) {
        self.init(fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: json($0.value)) })
    }
}
