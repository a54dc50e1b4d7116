import Synchronization
import WireBase
import WireConfig
import WireHTTP

/// The devices of variants.
///
/// The platform of a variant of the file is not declared: it follows from the variant's first device, and holds while
/// the variant has a device.
struct UnifiedPushRegistry: Sendable {
    let context: PushRequestContext

    /// Returns the variant whose secret the request has.
    func variant(of request: Request) async throws -> String {
        guard let (name, password) = request.basicCredentials,
            let secret = try await UnifiedPushCatalog(context: context).variant(name)?.secret,
            try context.machine.isSame(password, secret.reveal())
        else { throw EmbeddedError.unifiedPushUnauthorized }
        return name
    }

    /// Performs the request of a variant's device once for each request id.
    func once(_ request: Request, _ work: @Sendable (Request) async throws -> Response) async throws -> Response {
        let variant = try await variant(of: request)
        return try await context.once(request, by: "ups \(variant)") { try await work(request) }
    }

    // MARK: Registering

    func register(_ request: Request) async throws -> Response {
        let variant = try await variant(of: request)
        context.counts.count { $0.registrations += 1 }
        let device = try Self.json(request, Installation.read)
        // The real server sends no message for a missing or invalid token.
        guard let device else { throw EmbeddedError.unifiedPush(.badRequest) }
        let old = request.fields["x-ag-old-token"]
        return try await context.line.alone {
            let former = old == device.token ? nil : old
            // A device that is refused keeps its earlier registration.
            let type = try await platform(of: variant, besides: former)
            guard let device = Self.fitting(device, type) else { throw EmbeddedError.unifiedPush(.badRequest) }
            if let former { try await remove(former, from: variant) }
            return .json(try await keep(device, in: variant).json)
        }
    }

    func unregister(_ request: Request, _ token: String) async throws -> Response {
        let variant = try await variant(of: request)
        return try await context.line.alone {
            guard try await remove(token, from: variant) else { throw EmbeddedError.unifiedPush(.notFound) }
            return Response(.noContent)
        }
    }

    /// Imports many devices; known devices are unchanged and invalid tokens are left out.
    func importAll(_ request: Request) async throws -> Response {
        let variant = try await variant(of: request)
        guard let file = try MultipartForm(request, refusing: { .unifiedPush(.badRequest, $0) })["file"] else {
            throw EmbeddedError.unifiedPush(.badRequest, "the form has no part 'file'")
        }
        var body = Request(method: .post, target: request.target, fields: [:], caller: request.caller)
        body.body = Array("{\"devices\":".utf8) + file.bytes + Array("}".utf8)
        let devices = try body.json { members throws(Problem) in
            try members.objects("devices") { device throws(Problem) in try Installation.read(&device) }
        }
        guard let devices else { throw EmbeddedError.unifiedPush(.badRequest, "expected an array of devices") }
        return try await context.line.alone {
            var type = try await platform(of: variant)
            var known: Set<String> = []
            var new: [(key: String, device: Installation)] = []
            for device in devices.compactMap({ $0 }) {
                guard var device = Self.fitting(device, type), known.insert(device.token).inserted else { continue }
                type = type ?? device.platform
                let key = try key(device.token, in: variant)
                guard try await context.records.find(key, on: .installations) == nil else { continue }
                device.id = try context.machine.uuid()
                new.append((key, device))
            }
            let records = context.records
            try await new.together { try await records.put($0.device.json, $0.key, on: .installations) }
            return .json(.object([]))
        }
    }

    /// A body whose media type is JSON.
    static func json<Value>(_ request: Request, _ read: (inout JSONMembers) throws(Problem) -> Value) throws -> Value {
        guard let type = request.fields["Content-Type"].flatMap(MediaType.init(parsing:)),
            type.isCovered(by: "application/json")
        else { throw EmbeddedError.unifiedPush(.unsupportedMediaType, "expected a body of type application/json") }
        return try request.json(read)
    }

    private func keep(_ device: Installation, in variant: String) async throws -> Installation {
        var device = device
        let key = try key(device.token, in: variant)
        if let old = try await context.records.find(key, on: .installations).flatMap(Installation.init) {
            // A disabled device stays disabled.
            guard old.isEnabled else { return old }
            (device.id, device.isEnabled) = (old.id, old.isEnabled)
        } else {
            device.id = try context.machine.uuid()
        }
        try await context.records.put(device.json, key, on: .installations)
        return device
    }

    /// Returns the device with its platform; nil where its token is invalid or of another platform than the
    /// variant's.
    private static func fitting(_ device: Installation, _ type: Installation.Platform?) -> Installation? {
        let platforms = Installation.platforms(of: device.token)
        guard let platform = type ?? Self.told(device, platforms) ?? platforms.first, platforms.contains(platform)
        else { return nil }
        var device = device
        device.platform = platform
        return device
    }

    /// A long hexadecimal token may belong to both platforms; the device's own data decides.
    private static func told(_ device: Installation, _ platforms: [Installation.Platform]) -> Installation.Platform? {
        let system = (device.operatingSystem ?? device.deviceType ?? "").lowercased()
        return system == "android" && platforms.contains(.android) ? .android : nil
    }

    @discardableResult
    func remove(_ token: String, from variant: String) async throws -> Bool {
        try await context.records.remove(key(token, in: variant), on: .installations)
    }

    func removeAll(of variant: String) async throws {
        let start = try prefix(variant)
        while true {
            let page = try await context.records.keys(on: .installations, prefix: start, limit: 1_000)
            guard !page.isEmpty else { return }
            let records = context.records
            try await page.together { _ = try await records.remove($0, on: .installations) }
        }
    }

    // MARK: Reading

    private func prefix(_ variant: String) throws -> String { try context.machine.key(variant) + "/" }

    func key(_ token: String, in variant: String) throws -> String {
        try prefix(variant) + context.machine.key(token)
    }

    /// Returns the platform of a variant; nil while a variant of the file has no other device.
    func platform(of variant: String, besides token: String? = nil) async throws -> Installation.Platform? {
        if !context.admitted.variants.contains(where: { $0.id == variant }),
            let kind = try await UnifiedPushCatalog(context: context).variant(variant)?.kind
        {
            return kind.platform
        }
        let left = try token.map { try key($0, in: variant) }
        let keys = try await context.records.keys(on: .installations, prefix: prefix(variant), limit: 2)
        guard let first = keys.first(where: { $0 != left }) else { return nil }
        return try await context.records.find(first, on: .installations).flatMap(Installation.init)?.platform
    }

    func list(_ variant: String) async throws -> [Installation] {
        guard try await UnifiedPushCatalog(context: context).variant(variant) != nil else {
            throw EmbeddedError.unifiedPushNotFound
        }
        return try await context.records.all(on: .installations, prefix: prefix(variant)).compactMap(Installation.init)
    }

    func count(_ variant: String) async throws -> Int {
        var (count, last) = (0, String?.none)
        let start = try prefix(variant)
        while true {
            let page = try await context.records.keys(on: .installations, prefix: start, after: last, limit: 1_000)
            guard let next = page.last else { return count }
            count += page.count
            last = next
        }
    }

    func health() async throws -> Response {
        let count = try await context.records.count(on: .installations)
        return .json(
            .members([
                "status": .string("ok"), "summary": .string("Everything is ok"),
                "details": .array([
                    .members([
                        "description": .string("Store"), "test_status": .string("ok"),
                        "result": .string("\(count) installations"),
                    ])
                ]),
            ])
        )
    }
}
