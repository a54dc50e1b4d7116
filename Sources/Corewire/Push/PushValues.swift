public import FoundationEssentials
import WireBase
import WireConfig
import WireHTTP
import WirePushContract

extension Corewire.Push {
    /// A service that carries pushes to devices.
    public enum Provider: String, Sendable, CaseIterable {
        /// Apple, Google, Huawei.
        case apns, firebase, huawei

        var known: PushProvider {
            switch self {
            case .apns: .apns
            case .firebase: .firebase
            case .huawei: .huawei
            }
        }
    }

    /// How a server stands.
    public struct Registrar: Sendable, Hashable {
        /// How a registration is.
        public enum State: String, Sendable {
            /// The server has it.
            case registered
            /// It waits for a token, a user, a permission or the network.
            case pending
            /// The server has it, and sends nothing.
            case suspended
            /// The server does not have it.
            case unregistered
            /// The server has refused the last request.
            case refused
            /// The last request was given up.
            case failed
        }

        /// The name the file gives it.
        public let name: String
        /// How the registration is.
        public let state: State
        /// Why it is not otherwise.
        public let reason: String?
        /// Since when the server knows this device.
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

    /// Which subscription is asked for at an Altcraft platform.
    public enum StatusQuery: Sendable {
        /// The latest of the profile, the latest of the provider, the one of the present token.
        case latest, provider, current
    }

    /// A plain value.
    public enum Value: Sendable, Hashable {
        /// Text.
        case text(String)
        /// A whole number.
        case integer(Int)
        /// Any other number; one that is not finite is none.
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

    /// What becomes of a field of a profile.
    public enum ProfileChange: Sendable, Hashable {
        /// It gets the value.
        case set(Value)
        /// It is emptied.
        case unset
        /// The value is added to the number.
        case increment(Value)
        /// The value is put into the list.
        case add(Value)
        /// The value is taken out of the list.
        case delete(Value)
        /// The value is put into the list unless it is there.
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

    /// What a subscription at an Altcraft platform says beside the file.
    public struct Subscription: Sendable {
        /// Fields of the subscription.
        public var customFields: [String: Value] = [:]
        /// Fields of the profile.
        public var profileFields: [String: ProfileChange] = [:]
        /// What the user wants to hear about, in place of the file's; the file's where nil.
        public var categories: [String]?
        /// Whether other subscriptions of the profile are replaced; as the file says where nil.
        public var replace: Bool?
        /// Whether the platform's triggers stay silent; as the file says where nil.
        public var skipTriggers: Bool?
        /// Whether the platform answers once it is stored; as the file says where nil.
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

    /// Something that happened in the app, for an Altcraft platform.
    public struct AppEvent: Sendable {
        /// The pixel it is for.
        public var siteID: String
        /// What happened.
        public var name: String
        /// Who it is, as the web SDK knows it.
        public var clientID: String?
        /// What is to be known about it.
        public var payload: [String: Value] = [:]
        /// The id of the push it comes from.
        public var push: String?
        /// Who it is about, where that is not whom the token means.
        public var matching: Matching?
        /// The subscription it has to do with.
        public var subscription: EventSubscription?
        /// What becomes of fields of the profile with it.
        public var profileFields: [String: ProfileChange] = [:]
        /// Where the user came from: campaign, content, keyword, medium, source, temp.
        public var utm: [String: String] = [:]

        /// An event of a name, for a pixel.
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

    /// Code that has the tokens of a provider, for as long as this is kept.
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
    /// Fields by their names.
    init<Said>(_ fields: [String: Said], _ json: (Said) -> JSONValue) {
        self.init(fields.sorted { $0.key < $1.key }.map { (name: $0.key, value: json($0.value)) })
    }
}
