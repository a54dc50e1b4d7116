/// What an AeroGear service is for corewire: the section that is made of it.
enum AeroGearRole: String, CaseIterable, Sendable {
    case auth, sync, push, metrics, security

    /// Types are compared without regard to case, as both SDKs do.
    init?(type: String) {
        let folded = type.lowercased()
        guard let role = Self.allCases.first(where: { $0.types.contains(folded) }) else { return nil }
        self = role
    }

    /// The types that mean it; the first is the one written for a service that no AeroGear file had.
    var types: [String] {
        switch self {
        case .auth: ["keycloak"]
        case .sync: ["sync", "sync-app"]
        case .push: ["push"]
        case .metrics: ["metrics"]
        case .security: ["security"]
        }
    }

    /// All types there are.
    static var allTypes: [String] { allCases.flatMap(\.types) }

    /// The mapping that holds the service's values, seen from the section.
    func holder(named name: String) -> [String] {
        switch self {
        case .auth, .sync, .metrics: []
        case .push: ["registrars", name]
        case .security: ["rules", "appVersion"]
        }
    }

    /// What the model says in words of its own where AeroGear says it by the type.
    var constants: KeyValuePairs<String, String> {
        switch self {
        case .auth: ["provider": "keycloak"]
        case .push: ["type": "unifiedPush"]
        case .security: ["action": "stop"]
        case .sync, .metrics: [:]
        }
    }

    /// The values that the service and the model share.
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

    /// The keys of `config` that its files are known to hold, for "did you mean".
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

/// A value that an AeroGear service and the model both have.
struct AeroGearSlot {
    enum Kind {
        case text, address, webSocket, secret
    }

    /// The model's key.
    let key: String
    /// Where the service may have it; the first place that says something counts.
    let sources: [[String]]
    /// Where the service may say the same once more.
    let mirrors: [[String]]
    /// How many of the sources a service that no AeroGear file had is written with.
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

/// The part of a push service's `config` that one platform reads; the order is the order of preference.
enum PushPlatform: CaseIterable {
    case ios, android, webPush, any

    /// Its key in `config`; nil for what stands in `config` itself.
    var key: String? {
        switch self {
        case .ios: "ios"
        case .android: "android"
        case .webPush: "web_push"
        case .any: nil
        }
    }

    /// Where corewire's tokens for it come from; those of browsers have no provider of their own.
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
