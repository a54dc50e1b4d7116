import WireBase
import WireConfig
import WireHTTP
import WireService

/// The local API of add-ons.
struct AddonRoutes: RouteGroup {
    private let service: AddonsService

    init(_ service: AddonsService) { self.service = service }

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/addons",
                "The add-ons, in the order in which they are asked.",
                access: .read,
                answers: [.json(list, "The add-ons.")]
            )
        ) { .snapshot($0.list) },
        .init(
            .init(
                .get,
                "/v1/addons/{name}",
                "How an add-on is.",
                access: .read,
                inputs: [name],
                answers: [.json(AddonStanding.schema, "The add-on."), unknown]
            )
        ) { .snapshot($0.show) },
        .init(
            .init(
                .get,
                "/v1/addons/{name}/log",
                "The last lines that have to do with an add-on; as text/event-stream those that come as well.",
                access: .read,
                inputs: [
                    name,
                    .init(.query, "watch", "Send the lines, and those that come, as server-sent events.", .boolean),
                    .init(.header, "Accept", "text/event-stream is the same as 'watch'."),
                    .init(.header, "Last-Event-ID", "The id of the line that was read last."),
                ],
                answers: [
                    .json(log, "The lines, the latest last,"), .body("text/event-stream", "or as they come."), unknown,
                ]
            )
        ) { .snapshot($0.log) },
        .init(
            .init(
                .post,
                "/v1/addons/{name}/restart",
                "End an add-on and start it again, also one that stays ended.",
                access: .write,
                inputs: [name],
                answers: [
                    .json(AddonStanding.schema, "It is being restarted.", status: .accepted), unknown,
                    .problem(.conflict, "not-a-program", "It is code of the program around the runner."),
                ]
            )
        ) { .snapshot($0.restart) },
        .init(
            .init(
                .post,
                "/v1/links",
                "Have a link opened by whichever add-ons open it (the hook 'deepLinks').",
                access: .write,
                body: .json(link, upTo: .kibibytes(16), mayBeEmpty: false),
                answers: [.json(opened, "Whether anybody opens it.")]
            )
        ) { .work($0.open) },
    ]

    private static let name = Route.Input(.path, "name", "The name of the add-on.", .text(upTo: 64))
    private static let unknown = Operation.Answer.problem(.notFound, "no-such-addon", "There is no such add-on.")
    private static let list = JSONSchema.object([
        .required("addons", "The add-ons.", .array(of: AddonStanding.schema))
    ]).named("Addons")
    private static let log = JSONSchema.object([
        .required("lines", "The lines.", .array(of: AddonNotebook.Line.schema))
    ]).named("AddonLines")
    private static let link = JSONSchema.object([.required("url", "The link.", .text)]).named("Link")
    private static let opened = JSONSchema.object([
        .required("opened", "Whether anybody opens it.", .boolean),
        .required("by", "The add-ons that do.", .array(of: .text)),
    ]).named("LinkOpened")

    // MARK: Looking

    private func list(_ request: Request) -> Response {
        .json(.members(["addons": .array(service.roster.seats.map(\.standing.json))]))
    }

    private func show(_ request: Request) throws -> Response { .json(try seat(request).standing.json) }

    private func log(_ request: Request) throws -> Response {
        let notebook = try seat(request).notebook
        let accepts = request.fields["Accept"]?.lowercased().hasPrefix("text/event-stream") ?? false
        guard try request.queryFlag("watch") || accepts else {
            return .json(.members(["lines": .array(notebook.lines().map(\.json))]))
        }
        let last = request.fields["Last-Event-ID"]
        return AddonLogStream(notebook: notebook, clock: service.host.clock, last: last).response()
    }

    private func seat(_ request: Request) throws(Problem) -> any AddonSeat {
        let name = request[parameter: "name"]
        if let seat = service.roster[name] { return seat }
        let near = Nearest.name(to: name, among: service.roster.seats.map(\.name)).map { ", did you mean '\($0)'?" }
        throw Problem(
            .notFound,
            "no-such-addon",
            "there is no such add-on",
            detail: "found \(name.shown(upTo: 64).quoted)\(near ?? "")"
        )
    }

    // MARK: Doing

    private func restart(_ request: Request) throws -> Response {
        let seat = try seat(request)
        guard seat.restart() else {
            throw Problem(
                .conflict,
                "not-a-program",
                "the add-on is code of the program around the runner",
                detail: "\(seat.name.quoted) lives and ends with that program"
            )
        }
        return .json(seat.standing.json, status: .accepted)
    }

    private func open(_ request: Request) async throws -> Response {
        let url = try request.json { (members) throws(Problem) in try members.text("url") }
        let names = await service.roster.open(url)
        return .json(
            .members(["opened": .boolean(!names.isEmpty), "by": .array(names.map(JSONValue.string))])
        )
    }
}
