import WireBase
import WireConfig
import WireHTTP
import WireService

/// The local API of security rules.
struct SecurityRoutes: RouteGroup {
    private let service: SecurityService

    init(_ service: SecurityService) { self.service = service }

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/security",
                "What was looked for on this machine, and what was found.",
                access: .read,
                answers: [.json(SecurityReport.schema, "The report.")]
            )
        ) { .snapshot($0.report) },
        .init(
            .init(
                .post,
                "/v1/security/checks",
                "Apply all rules now.",
                access: .write,
                answers: [.json(SecurityReport.schema, "The report, when all were applied.")]
            )
        ) { .work($0.apply) },
    ]

    private func report(_ request: Request) throws -> Response {
        .json(SecurityReport(service.watch).json)
    }

    private func apply(_ request: Request) async throws -> Response {
        await service.watch.applyNow()
        return .json(SecurityReport(service.watch).json)
    }
}
