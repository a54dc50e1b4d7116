import WireBase
import WireConfig
import WireHTTP

/// What administrators see: the one application there is, its variants, their installations.
///
/// Applications and variants are those of the services file, so nobody makes them here; secrets are never told.
struct UnifiedPushApplications: Sendable {
    let desk: PushDesk
    let registry: UnifiedPushRegistry

    // MARK: Applications

    func list(_ request: Request) throws -> Response {
        let page = try request.page(upTo: 25, or: 8)
        var response = Response.json(.array(try [application()].page(page)))
        response.fields.add("total", "1")
        let id = desk.account.id
        if try request.queryFlag("includeDeviceCount") {
            var total = 0
            for variant in desk.admitted.variants {
                let count = try registry.count(variant.id)
                total += count
                if Self.isFieldName(variant.id) {
                    response.fields.add("deviceCount_variant_\(variant.id)", "\(count)")
                }
            }
            response.fields.add("deviceCount_app_\(id)", "\(total)")
        }
        if try request.queryFlag("includeActivity") {
            response.fields.add("activity_app_\(id)", "\(try desk.records.count(on: .messages))")
        }
        return response
    }

    /// What the file calls a variant may be anything; a field may not.
    private static func isFieldName(_ text: String) -> Bool { text.utf8.allSatisfy(\.isTokenByte) }

    func show(_ id: String) throws -> JSONValue {
        guard id == desk.account.id else { throw UnifiedPushError.notFound }
        return try application()
    }

    /// How many devices each variant has.
    func count(_ id: String) throws -> Response {
        _ = try show(id)
        return .json(.object(try desk.admitted.variants.map { ($0.id, .integer(try registry.count($0.id))) }))
    }

    private func application() throws -> JSONValue {
        .members([
            "id": .string(desk.account.id), "name": .string("corewire"), "description": .null,
            "pushApplicationID": .string(desk.account.id), "developer": .string("corewire"),
            "variants": .array(try desk.admitted.variants.map { try variant($0.id) }),
        ])
    }

    // MARK: Variants

    private func variant(_ id: String) throws -> JSONValue {
        .members([
            "id": .string(id), "name": .string(id), "description": .null, "variantID": .string(id),
            "developer": .string("corewire"), "type": .orNull(try registry.platform(of: id)?.rawValue),
        ])
    }

    private static let types = [
        "android": Installation.Platform.android, "ios": .ios, "web_push": .webPush, "webpush": .webPush,
    ]

    func variants(_ application: String, _ type: String) throws -> Response {
        _ = try show(application)
        guard let platform = Self.types[type] else { throw UnifiedPushError.notFound }
        let fitting = try desk.admitted.variants.filter { try registry.platform(of: $0.id) == platform }
        return .json(.array(try fitting.map { try variant($0.id) }))
    }

    func variant(_ id: String, _ application: String, _ type: String) throws -> JSONValue {
        _ = try show(application)
        guard let platform = Self.types[type], desk.admitted.variants.contains(where: { $0.id == id }),
            try registry.platform(of: id) == platform
        else { throw UnifiedPushError.notFound }
        return try variant(id)
    }

    // MARK: Installations

    func installations(_ variant: String, _ request: Request) throws -> Response {
        let page = try request.page(upTo: 50, or: 25)
        let search = try request.queryText("search").flatMap { $0.isEmpty ? nil : $0.lowercased() }
        let all = try registry.list(variant).filter { device in
            guard let search else { return true }
            return [device.token, device.alias, device.deviceType, device.operatingSystem].contains {
                $0?.lowercased().contains(search) ?? false
            }
        }
        var response = Response.json(.array(all.page(page).map(\.json)))
        response.fields.add("total", "\(all.count)")
        let last = max(0, (all.count - 1) / page.size)
        let places = [("first", 0), ("prev", page.number - 1), ("next", page.number + 1), ("last", last)]
        let links = places.filter { (0...last).contains($0.1) }.map { name, number in
            "<\(request.target.path)?page=\(number)&per_page=\(page.size)>; rel=\"\(name)\""
        }
        response.fields.add("Link", links.joined(separator: ", "))
        return response
    }

    func installation(_ id: String, of variant: String) throws -> Installation {
        guard let found = try registry.list(variant).first(where: { $0.id == id }) else {
            throw UnifiedPushError.notFound
        }
        return found
    }

    /// Changes what is known of a device, and whether it is told anything; its token stays.
    func update(_ id: String, of variant: String, _ request: Request) async throws -> Response {
        let new = try UnifiedPushRegistry.json(request) { members throws(Problem) in
            let device = try Installation.read(&members)
            // It may be left out, then it stays as it is.
            return (device: device, isEnabled: try members.booleanIfAny("enabled"))
        }
        return try await desk.line.alone {
            let old = try installation(id, of: variant)
            guard var device = new.device, device.token == old.token else {
                throw UnifiedPushError(.badRequest, "expected the 'deviceToken' it has")
            }
            (device.id, device.platform) = (old.id, old.platform)
            device.isEnabled = new.isEnabled ?? old.isEnabled
            try await desk.records.put(device.json, registry.key(old.token, in: variant), on: .installations)
            return Response(.noContent)
        }
    }

    func remove(_ id: String, of variant: String) async throws -> Response {
        try await desk.line.alone {
            let old = try installation(id, of: variant)
            try await registry.remove(old.token, from: variant)
            return Response(.noContent)
        }
    }
}
