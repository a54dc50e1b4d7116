import WireAddonContract
import WireBase
import WireHTTP
import WireService

/// The local API of add-ons, shared with code in the same process.
struct AddonRoutes: RouteGroup {
    private let service: AddonsService

    init(_ service: AddonsService) { self.service = service }

    static let table: [RouteEntry<Self>] = [
        .call(AddonCalls.list, atOnce: AddonRoutes.list),
        .call(AddonCalls.show, atOnce: AddonRoutes.show),
        .init(AddonCalls.log) { .snapshot($0.log) },
        .call(AddonCalls.restart, atOnce: AddonRoutes.restart),
        .call(AddonCalls.open, by: AddonRoutes.open),
    ]

    private func list(_ request: APIRequest<NoInput>) throws(AddonFailure) -> APIReply<AddonList> {
        APIReply(AddonList(service.registry.connections.map(\.currentReport)))
    }

    private func show(_ request: APIRequest<AddonName>) throws(AddonFailure) -> APIReply<AddonReport> {
        APIReply(try connection(request.name).currentReport)
    }

    private func log(_ request: Request) throws -> Response {
        let addonLog = try connection(request[parameter: "name"]).addonLog
        let accepts = request.fields["Accept"]?.lowercased().hasPrefix("text/event-stream") ?? false
        guard try request.queryFlag("watch") || accepts else {
            return .json(AddonLines(addonLog.lines().map(\.content)))
        }
        let last = request.fields["Last-Event-ID"]
        return AddonLogStream(addonLog: addonLog, clock: service.host.clock, last: last).response()
    }

    private func restart(_ request: APIRequest<AddonName>) throws(AddonFailure) -> APIReply<AddonReport> {
        let connection = try connection(request.name)
        guard connection.restart() else {
            throw AddonFailure(
                .notAProgram,
                "\(connection.name.quoted) is part of the embedding program and cannot be restarted"
            )
        }
        return APIReply(connection.currentReport)
    }

    private func open(_ request: APIRequest<AddonLink>) async throws(AddonFailure) -> APIReply<AddonLinkAnswer> {
        APIReply(AddonLinkAnswer(by: await service.registry.open(request.url)))
    }

    private func connection(_ name: String) throws(AddonFailure) -> any AddonConnection {
        if let connection = service.registry[name] { return connection }
        let near = Nearest.name(to: name, among: service.registry.connections.map(\.name)).map {
            ", did you mean '\($0)'?"
        }
        throw AddonFailure(.unknown, "unknown add-on \(name.shown(upTo: 64).quoted)\(near ?? "")")
    }
}
