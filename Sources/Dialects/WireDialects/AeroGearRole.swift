/// The section that corewire makes of an AeroGear service.
enum AeroGearRole: String, CaseIterable, Sendable {
    case auth, sync, push, metrics, security

    /// Types are compared without regard to case, as in both SDKs.
    init?(type: String) {
        let folded = type.lowercased()
        guard let role = Self.allCases.first(where: { $0.types.contains(folded) }) else { return nil }
        self = role
    }

    /// The types with this role; the first one is written for a new service.
    var types: [String] {
        switch self {
        case .auth: ["keycloak"]
        case .sync: ["sync", "sync-app"]
        case .push: ["push"]
        case .metrics: ["metrics"]
        case .security: ["security"]
        }
    }

    /// All types.
    static var allTypes: [String] { allCases.flatMap(\.types) }

    /// Returns the path of the mapping with the service's values, relative to the section.
    func holder(named name: String) -> [String] {
        switch self {
        case .auth, .sync, .metrics: []
        case .push: ["registrars", name]
        case .security: ["rules", "appVersion"]
        }
    }

    /// The settings that AeroGear implies by the type.
    var constants: KeyValuePairs<String, String> {
        switch self {
        case .auth: ["provider": "keycloak"]
        case .push: ["type": "unifiedPush"]
        case .security: ["action": "stop"]
        case .sync, .metrics: [:]
        }
    }

    /// Returns the values that the service and the model share.
    func slots(platform: PushPlatform = .ios) -> [AeroGearSlot] {
        switch self {
        case .auth:
            [
                AeroGearSlot(
                    "url",
                    [["config", "auth-server-url"], ["url"]],
                    mirrors: [["config", "url"]],
                    writes: 2,
                    .address
                ),
                AeroGearSlot("realm", [["config", "realm"]]),
                AeroGearSlot("clientId", [["config", "resource"], ["config", "clientId"]]),
                AeroGearSlot(
                    "clientSecret",
                    [["config", "credentials", "secret"], ["config", "clientSecret"]],
                    .secret
                ),
            ]
        case .sync:
            [
                AeroGearSlot("url", [["url"]], .address),
                AeroGearSlot("webSocketUrl", [["config", "websocketUrl"]], .webSocket),
            ]
        case .push:
            [
                AeroGearSlot("url", [["url"]], .address),
                AeroGearSlot("variantId", platform.variantIDs, mirrors: platform.others.flatMap(\.variantIDs)),
                AeroGearSlot("variantSecret", platform.secrets, mirrors: platform.others.flatMap(\.secrets), .secret),
            ]
        case .metrics, .security:
            [AeroGearSlot("url", [["url"]], .address)]
        }
    }

    /// The keys of `config` found in such files, for "did you mean".
    var configKeys: [String] {
        switch self {
        case .auth:
            [
                "auth-server-url", "realm", "resource", "clientId", "clientSecret", "credentials", "ssl-required",
                "public-client", "confidential-port", "bearer-only", "use-resource-role-mappings",
                "verify-token-audience",
            ]
        case .sync: ["websocketUrl"]
        case .push: PushPlatform.allCases.compactMap(\.key) + Self.variantKeys
        case .metrics, .security: []
        }
    }

    /// The keys of one platform's variant.
    static let variantKeys = ["variantId", "variantID", "variantSecret", "senderId", "appServerKey"]
}

/// A value that both an AeroGear service and the model have.
struct AeroGearSlot {
    enum Kind {
        case text, address, webSocket, secret
    }

    /// The model's key.
    let key: String
    /// The possible paths in the service; the first one with a value counts.
    let sources: [[String]]
    /// The paths at which the service may repeat the value.
    let mirrors: [[String]]
    /// The number of sources written for a new service.
    let writes: Int
    let kind: Kind

    init(_ key: String, _ sources: [[String]], mirrors: [[String]] = [], writes: Int = 1, _ kind: Kind = .text) {
        self.key = key
        self.sources = sources
        self.mirrors = mirrors
        self.writes = writes
        self.kind = kind
    }

    var places: [[String]] { sources + mirrors }
}

/// The part of a push service's `config` for one platform, in order of preference.
enum PushPlatform: CaseIterable {
    case ios, android, webPush, any

    /// The key in `config`; nil for `config` itself.
    var key: String? {
        switch self {
        case .ios: "ios"
        case .android: "android"
        case .webPush: "web_push"
        case .any: nil
        }
    }

    /// The source of push tokens; browsers have no provider of their own.
    var tokenProvider: String {
        switch self {
        case .ios, .any: "apns"
        case .android, .webPush: "firebase"
        }
    }

    private var path: [String] { ["config"] + (key.map { [$0] } ?? []) }

    /// Both spellings are in use: the iOS SDK reads the first, the sample app writes the second.
    var variantIDs: [[String]] { [path + ["variantId"], path + ["variantID"]] }
    var secrets: [[String]] { [path + ["variantSecret"]] }
    var others: [PushPlatform] { Self.allCases.filter { $0 != self } }
}
