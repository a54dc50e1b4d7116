import WireBase
import WireHTTP
import WireService
import WireTelemetry

/// Clears the data of users, of an environment, or of all environments in all services.
struct ClearRoutes: RouteGroup {
    let clearings: Clearings?
    let stores: Stores
    let clock: TimeSource
    let log: Log

    static let table: [RouteEntry<Self>] = [.call(ClearingCalls.clear, by: ClearRoutes.clear)]

    private func clear(_ request: APIRequest<ClearingRequest>) async throws(ClearingFailure) -> APIReply<ClearingReport>
    {
        let names = (clearings?.all ?? []).map(\.service)
        if let unknown = request.services?.first(where: { !names.contains($0) }) {
            throw ClearingFailure(.noSuchService, "found \(unknown.quoted), expected \(names.listed())")
        }
        let eraser = Eraser(stores, isDryRun: request.isDryRun)
        let services = await clearings?.clear(request.scope, of: request.services, with: eraser, clock) ?? []
        if !request.isDryRun { record(services, request.scope) }
        let report = ClearingReport(services)
        guard services.allSatisfy({ $0.reason == nil }) else {
            throw ClearingFailure(.notCleared, "see 'services' in the response", carrying: report.json)
        }
        return APIReply(report)
    }

    private func record(_ services: [ClearedService], _ scope: ClearingScope) {
        for answer in services {
            if let reason = answer.reason {
                log.warning(
                    "some data could not be cleared",
                    ["service": .text(answer.service), "reason": .text(reason)]
                )
            } else {
                log.notice("cleared", ["service": .text(answer.service), "scope": .text(scope.rawValue)])
            }
        }
    }
}
