import WireBase
import WireConfig
import WireHTTP

/// An application: one represents the services file, administrators create others.
struct PushApplication: Sendable {
    let id: String
    var name: String
    var description: String?
    var secret: Secret<String>
    var isOfFile = false

    var record: JSONValue {
        .members([
            "id": .string(id), "name": .string(name), "description": .orNull(description),
            "secret": .string(secret.reveal()),
        ])
    }
}

/// The part of an application for one kind of device.
struct PushVariant: Sendable {
    /// The kind, in the server's words.
    enum Kind: String, Sendable, CaseIterable {
        case android, ios
        case iosToken = "ios_token"
        case webPush = "web_push"

        /// The kind by its name in paths.
        init?(path: String) {
            switch path {
            case "iostoken": self = .iosToken
            case "webpush": self = .webPush
            default: self.init(rawValue: path)
            }
        }

        var platform: Installation.Platform {
            switch self {
            case .android: .android
            case .ios, .iosToken: .ios
            case .webPush: .webPush
            }
        }
    }

    let id: String
    let application: String
    var name: String
    var description: String?
    /// The kind of device; nil for a variant of the file that has no device.
    let kind: Kind?
    var secret: Secret<String>
    var isOfFile = false
    /// The public parameters of its provider.
    var details: [(key: String, value: JSONValue)] = []

    var record: JSONValue {
        .members([
            "id": .string(id), "application": .string(application), "name": .string(name),
            "description": .orNull(description), "kind": .orNull(kind?.rawValue), "secret": .string(secret.reveal()),
            "details": .object(details),
        ])
    }
}

/// The applications and variants of the services file and of administrators.
struct UnifiedPushCatalog: Sendable {
    let context: PushRequestContext

    // MARK: Applications

    func applications() async throws -> [PushApplication] {
        try await [ofFile()] + context.records.all(on: .applications).compactMap(PushApplication.init)
    }

    func application(_ id: String) async throws -> PushApplication {
        guard let found = try await find(id) else { throw EmbeddedError.unifiedPushNotFound }
        return found
    }

    /// The application of an id; nil where there is none.
    func find(_ id: String) async throws -> PushApplication? {
        if id == context.account.id { return try await ofFile() }
        guard id.utf8.count <= 255 else { return nil }
        return try await context.records.find(context.machine.key(id), on: .applications).flatMap(PushApplication.init)
    }

    private func ofFile() async throws -> PushApplication {
        let kept = try await context.records.find("application", on: .account)
        var application = PushApplication(
            id: context.account.id,
            name: kept?["name"]?.string ?? "corewire",
            description: kept?["description"]?.string,
            secret: try await context.masterSecret()
        )
        application.isOfFile = true
        return application
    }

    /// Authenticates a sender by the application's id and its master secret.
    func sender(_ request: Request) async throws -> PushApplication {
        guard let (id, password) = request.basicCredentials else { throw EmbeddedError.unifiedPushUnauthorized }
        let found = try await find(id)
        // A secret is always compared, so that the time reveals nothing.
        let isSame = try context.machine.isSame(password, found?.secret.reveal() ?? "")
        guard let found, isSame else { throw EmbeddedError.unifiedPushUnauthorized }
        return found
    }

    func keep(_ application: PushApplication) async throws {
        if application.isOfFile {
            try await context.records.put(application.record, "application", on: .account)
        } else {
            try await context.records.put(application.record, context.machine.key(application.id), on: .applications)
        }
    }

    // MARK: Variants

    /// Returns the variants in the order of creation; in the file's application those of the file first.
    func variants(of application: String) async throws -> [PushVariant] {
        let ofFile = application == context.account.id ? try await context.admitted.variants.asyncMap(variant) : []
        let known = Set(ofFile.map(\.id))
        let made = try await context.records.all(on: .variants).compactMap(PushVariant.init)
            .filter { $0.application == application && !known.contains($0.id) }
        return ofFile + made
    }

    func variants() async throws -> [PushVariant] {
        try await applications().asyncMap { application in try await variants(of: application.id) }.flatMap(\.self)
    }

    func variant(_ id: String) async throws -> PushVariant? {
        if let own = context.admitted.variants.first(where: { $0.id == id }) { return try await variant(own) }
        guard id.utf8.count <= 255 else { return nil }
        return try await context.records.find(context.machine.key(id), on: .variants).flatMap(PushVariant.init)
    }

    private func variant(_ own: (id: String, secret: Secret<String>)) async throws -> PushVariant {
        let platform = try await UnifiedPushRegistry(context: context).platform(of: own.id)
        let kind = platform.flatMap { platform in PushVariant.Kind.allCases.first { $0.platform == platform } }
        var variant = PushVariant(
            id: own.id,
            application: context.account.id,
            name: own.id,
            kind: kind,
            secret: own.secret
        )
        variant.isOfFile = true
        return variant
    }

    func keep(_ variant: PushVariant) async throws {
        try await context.records.put(variant.record, context.machine.key(variant.id), on: .variants)
    }

    /// Deletes a variant with all its devices.
    func remove(_ variant: PushVariant) async throws {
        try await UnifiedPushRegistry(context: context).removeAll(of: variant.id)
        try await context.records.remove(context.machine.key(variant.id), on: .variants)
    }

    func remove(_ application: PushApplication) async throws {
        for variant in try await variants(of: application.id) { try await remove(variant) }
        try await context.records.remove(context.machine.key(application.id), on: .applications)
    }
}

extension PushApplication {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let name = json["name"]?.string, let secret = json["secret"]?.string else {
            return nil
        }
        self.init(id: id, name: name, description: json["description"]?.string, secret: Secret(secret))
    }
}

extension PushVariant {
    fileprivate init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let application = json["application"]?.string,
            let name = json["name"]?.string, let secret = json["secret"]?.string,
            let kind = json["kind"]?.string.flatMap(Kind.init(rawValue:))
        else { return nil }
        self.init(
            id: id,
            application: application,
            name: name,
            description: json["description"]?.string,
            kind: kind,
            secret: Secret(secret)
        )
        details = json["details"]?.members ?? []
    }
}
