import WireBase
import WireConfig
import WireHTTP

/// The dashboard of administrators: totals, warnings, most active variants.
struct UnifiedPushDashboard: Sendable {
    let context: PushRequestContext

    private var catalog: UnifiedPushCatalog { UnifiedPushCatalog(context: context) }

    func totals() async throws -> Response {
        await .json(
            .members([
                "applications": .integer(try catalog.applications().count),
                "devices": .integer(try context.records.count(on: .installations)),
                "messages": .integer(try context.records.count(on: .messages)),
            ])
        )
    }

    /// Responds with the variants to which messages could not be sent.
    func warnings() async throws -> Response {
        let failed = try await UnifiedPushMessages(context: context).activity().failures
        return try await told { failed[$0.id] != nil ? 1 : nil }
    }

    /// Responds with the variants with the most messages.
    func active(_ request: Request) async throws -> Response {
        let count = try request.queryInteger("count", in: 1...100) ?? 3
        let activity = try await UnifiedPushMessages(context: context).activity().variants
        return try await told(upTo: count) { activity[$0.id] }
    }

    private func told(upTo count: Int = 1_000, _ rank: (PushVariant) -> Int?) async throws -> Response {
        var found: [(rank: Int, json: JSONValue)] = []
        for application in try await catalog.applications() {
            for variant in try await catalog.variants(of: application.id) {
                guard let rank = rank(variant) else { continue }
                let json = JSONValue.members([
                    "applicationName": .string(application.name), "applicationID": .string(application.id),
                    "variant": UnifiedPushApplications.json(variant),
                ])
                found.append((rank, json))
            }
        }
        return .json(.array(found.sorted { $0.rank > $1.rank }.prefix(count).map(\.json)))
    }
}
