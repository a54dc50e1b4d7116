import WireBase
import WireConfig
import WireHTTP

/// The applications and variants that administrators see.
///
/// A secret is returned once, to the administrator who creates it; secrets of the services file are never returned.
struct UnifiedPushApplications: Sendable {
    let context: PushRequestContext
    let registry: UnifiedPushRegistry

    private var catalog: UnifiedPushCatalog { UnifiedPushCatalog(context: context) }

    // MARK: Applications

    func list(_ request: Request) async throws -> Response {
        let page = try request.page(upTo: 25, or: 8)
        let all = try await catalog.applications()
        let shown = all.page(page)
        var response = Response.json(.array(try await shown.asyncMap { application in try await json(application) }))
        response.fields.add("total", "\(all.count)")
        if try request.queryFlag("includeDeviceCount") { try await addDevices(of: shown, to: &response) }
        if try request.queryFlag("includeActivity") { try await addActivity(of: shown, to: &response) }
        return response
    }

    private func addDevices(of applications: [PushApplication], to response: inout Response) async throws {
        for application in applications {
            var total = 0
            for variant in try await catalog.variants(of: application.id) {
                let count = try await registry.count(variant.id)
                total += count
                if Self.isFieldName(variant.id) {
                    response.fields.add("deviceCount_variant_\(variant.id)", "\(count)")
                }
            }
            response.fields.add("deviceCount_app_\(application.id)", "\(total)")
        }
    }

    private func addActivity(of applications: [PushApplication], to response: inout Response) async throws {
        let activity = try await UnifiedPushMessages(context: context).activity()
        for application in applications {
            response.fields.add("activity_app_\(application.id)", "\(activity.applications[application.id] ?? 0)")
            for variant in try await catalog.variants(of: application.id) where Self.isFieldName(variant.id) {
                response.fields.add("activity_variant_\(variant.id)", "\(activity.variants[variant.id] ?? 0)")
            }
        }
    }

    /// Whether a variant's name in the file can be a field name.
    static func isFieldName(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(\.isTokenByte) }

    func show(_ id: String) async throws -> JSONValue { try await json(try catalog.application(id)) }

    /// Responds with the number of devices of each variant.
    func count(_ id: String) async throws -> Response {
        let variants = try await catalog.variants(of: try catalog.application(id).id)
        return .json(
            .object(
                try await variants.asyncMap { variant in (variant.id, .integer(try await registry.count(variant.id))) }
            )
        )
    }

    /// The JSON of an application, with its secret if it is new.
    func json(_ application: PushApplication, isNew: Bool = false) async throws -> JSONValue {
        await .members([
            "id": .string(application.id), "name": .string(application.name),
            "description": .orNull(application.description), "pushApplicationID": .string(application.id),
            "masterSecret": isNew ? .string(application.secret.reveal()) : nil, "developer": .string("corewire"),
            "variants": .array(try catalog.variants(of: application.id).map { Self.json($0) }),
        ])
    }

    // MARK: Variants

    static func json(_ variant: PushVariant, isNew: Bool = false) -> JSONValue {
        let members: [(key: String, value: JSONValue?)] = [
            ("id", .string(variant.id)), ("name", .string(variant.name)),
            ("description", .orNull(variant.description)), ("variantID", .string(variant.id)),
            ("secret", isNew ? .string(variant.secret.reveal()) : nil), ("developer", .string("corewire")),
            ("type", .orNull(variant.kind?.rawValue)),
        ]
        return .object(members.compactMap { key, value in value.map { (key, $0) } } + variant.details)
    }

    func variants(_ application: String, _ kind: PushVariant.Kind) async throws -> Response {
        let all = try await catalog.variants(of: try catalog.application(application).id)
        return .json(.array(all.filter { $0.kind == kind }.map { Self.json($0) }))
    }

    func variant(_ id: String, _ application: String, _ kind: PushVariant.Kind) async throws -> PushVariant {
        guard let found = try await catalog.variant(id), found.kind == kind,
            await found.application == (try catalog.application(application)).id
        else { throw EmbeddedError.unifiedPushNotFound }
        return found
    }
}
