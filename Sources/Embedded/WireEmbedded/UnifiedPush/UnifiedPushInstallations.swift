import WireBase
import WireConfig
import WireHTTP

/// The administration of the devices of a variant.
struct UnifiedPushInstallations: Sendable {
    let context: PushRequestContext
    let registry: UnifiedPushRegistry

    func list(_ variant: String, _ request: Request) async throws -> Response {
        let page = try request.page(upTo: 50, or: 25)
        let search = try request.queryText("search").flatMap { $0.isEmpty ? nil : $0.lowercased() }
        let all = try await registry.list(variant).filter { device in
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

    func show(_ id: String, of variant: String) async throws -> Installation {
        guard let found = try await registry.list(variant).first(where: { $0.id == id }) else {
            throw EmbeddedError.unifiedPushNotFound
        }
        return found
    }

    /// Changes a device's data and whether it gets messages; the token stays the same.
    func update(_ id: String, of variant: String, _ request: Request) async throws -> Response {
        let new = try UnifiedPushRegistry.json(request) { members throws(Problem) in
            let device = try Installation.read(&members)
            // An absent 'enabled' leaves it unchanged.
            return (device: device, isEnabled: try members.booleanIfAny("enabled"))
        }
        return try await context.line.alone {
            let old = try await show(id, of: variant)
            guard var device = new.device, device.token == old.token else {
                throw EmbeddedError.unifiedPush(.badRequest, "expected the 'deviceToken' of this device")
            }
            (device.id, device.platform) = (old.id, old.platform)
            device.isEnabled = new.isEnabled ?? old.isEnabled
            try await context.records.put(device.json, registry.key(old.token, in: variant), on: .installations)
            return Response(.noContent)
        }
    }

    func remove(_ id: String, of variant: String) async throws -> Response {
        try await context.line.alone {
            let old = try await show(id, of: variant)
            try await registry.remove(old.token, from: variant)
            return Response(.noContent)
        }
    }
}
