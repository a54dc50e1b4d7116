public import WireBase
public import WireConfig

/// A server that is told of the push token.
public enum Registrar: Sendable {
    /// AeroGear's UnifiedPush Server.
    case unifiedPush(UnifiedPushAccount)
    /// The notification service of a Health Cloud.
    case healthCloud(HealthCloudAccount)
    /// The Altcraft platform.
    case altcraft(AltcraftAccount)
    /// A HALO server.
    case halo(HaloAccount)
    /// Anybody's server.
    case rest(RestAccount)

    /// Whether push is degraded while this server cannot be told.
    public var isRequired: Bool {
        switch self {
        case .unifiedPush(let account): account.required
        case .healthCloud(let account): account.required
        case .altcraft(let account): account.required
        case .halo(let account): account.required
        case .rest(let account): account.required
        }
    }

    /// Whether it waits for a signed-in user; by `auth.policy` where nil.
    var needs: [UserNeed]? {
        switch self {
        case .unifiedPush(let account): account.needs
        case .healthCloud(let account): account.needs
        case .altcraft(let account): account.needs
        case .halo(let account): account.needs
        case .rest(let account): account.needs
        }
    }

    static func needsKey(_ keys: inout Keys) -> Setting<[UserNeed]?> {
        UserNeed.key(
            &keys,
            "What must be there for the device to be registered: a user unless 'auth.policy' is anonymous when absent, "
                + "nothing with []. What is sent with the token of the user waits for one in any case."
        )
    }

    static func requiredKey(_ keys: inout Keys) -> Setting<Bool> {
        keys.value("required", "Whether push is degraded while this server cannot be told.", or: true)
    }
}

extension Registrar: OneOf {
    package static var discriminator: String? { "type" }

    package static var alternatives: [Alternative<Self>] {
        [
            Alternative("unifiedPush", "AeroGear's UnifiedPush Server.") { .unifiedPush($0) },
            Alternative("healthCloud", "The notification service of a Health Cloud.") { .healthCloud($0) },
            Alternative("altcraft", "The Altcraft platform.") { .altcraft($0) },
            Alternative("halo", "A HALO server, which learns of the token with the device.") { .halo($0) },
            Alternative("rest", "Anybody's server, whose requests the file writes out.") { .rest($0) },
        ]
    }
}

/// What UnifiedPush Server knows of this device.
public struct UnifiedPushAccount: Record {
    /// The server, everything before `/rest`.
    @Setting public var url: Address
    /// The variant of the application.
    @Setting public var variantID: Identifier
    /// The secret of the variant.
    @Setting public var variantSecret: Secret<String>
    /// Who uses the device.
    @Setting public var alias: String?
    /// What the user wants to hear about.
    @Setting public var categories: [String]
    /// What kind of device it is.
    @Setting public var deviceType: String?
    /// The operating system.
    @Setting public var operatingSystem: String?
    /// The version of the operating system.
    @Setting public var osVersion: String?
    /// What must be there for the device to be registered.
    @Setting public var needs: [UserNeed]?
    /// Whether push is degraded while this server cannot be told.
    @Setting public var required: Bool

    package init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "The server, everything before /rest.",
            .takes(.root),
            .example("https://push.example.com"),
            .standIn(at: "ups")
        )
        _variantID = keys.required("variantId", "The variant of the application.", .example("1234456-234320"))
        _variantSecret = keys.required("variantSecret", "The secret of the variant.", .example("\"${env:UPS_SECRET}\""))
        _alias = keys.optional(
            "alias",
            "Who uses the device; pushes can be sent to an alias.",
            .example("ada@example.com")
        )
        _categories = keys.value(
            "categories",
            "What the user wants to hear about.",
            or: [],
            .example("[news]")
        )
        _deviceType = keys.optional(
            "deviceType",
            "What kind of device it is; found out when absent.",
            .example("Kiosk")
        )
        _operatingSystem = keys.optional(
            "operatingSystem",
            "The operating system; found out when absent.",
            .example("Linux")
        )
        _osVersion = keys.optional(
            "osVersion",
            "The version of the operating system; found out when absent.",
            .example("\"12\"")
        )
        _needs = Registrar.needsKey(&keys)
        _required = Registrar.requiredKey(&keys)
    }
}

/// How a Health Cloud is told of this device.
public struct HealthCloudAccount: Record {
    /// Where registrations are sent.
    @Setting public var path: Address
    /// The header that carries the API key.
    @Setting public var apiKeyHeader: HeaderName
    /// The API key.
    @Setting public var apiKey: Secret<String>
    /// The method of the request that registers.
    @Setting public var method: RegistrationMethod
    /// What must be there for the device to be registered.
    @Setting public var needs: [UserNeed]?
    /// Whether push is degraded while this server cannot be told.
    @Setting public var required: Bool

    package init(_ keys: inout Keys) {
        _path = keys.required(
            "path",
            "Where registrations are sent.",
            .takes(.endpoint),
            .example("mako/case-api/1.0/notifications"),
            // The one built in answers at the path of the real one.
            .standIn { $0.stoodInFor(at: String($0.absolute?.path.drop { $0 == "/" } ?? "")) }
        )
        _apiKeyHeader = keys.value(
            "apiKeyHeader",
            "The header that carries the API key.",
            or: HeaderName(known: "x-api-key")
        )
        _apiKey = keys.required("apiKey", "The API key.", .example("\"${env:HC_KEY}\""))
        _method = keys.value("method", "The method of the request that registers.", or: .post)
        _needs = Registrar.needsKey(&keys)
        _required = Registrar.requiredKey(&keys)
    }
}

/// The method of the request that registers a device.
public enum RegistrationMethod: String, Choice {
    case post = "POST"
    case put = "PUT"

    package var help: String {
        switch self {
        case .post: "the server makes a registration of it"
        case .put: "the server replaces the registration of this device"
        }
    }
}
