import WireBase
import WireConfig
import WireHTTP
import WireService
import WireTelemetry

/// From which level on the log hears each module: shown, and changed while the runner runs.
struct LogRoutes: RouteGroup {
    let control: any RunnerControl
    let log: Log

    static let table: [RouteEntry<Self>] = [
        .init(
            .init(
                .get,
                "/v1/log/levels",
                "From which level on each module is heard.",
                access: .read,
                answers: [.json(LevelList.schema, "The levels.")]
            )
        ) { .snapshot($0.show) },
        .init(
            .init(
                .put,
                "/v1/log/levels",
                "Change the level of all modules that have none of their own, until the runner ends.",
                access: .admin,
                body: body,
                answers: [.json(LevelList.schema, "The levels from now on.")]
            )
        ) { .snapshot($0.setUsual) },
        .init(
            .init(
                .put,
                "/v1/log/levels/{module}",
                "Give a module a level of its own, until the runner ends.",
                access: .admin,
                body: body,
                inputs: [module],
                answers: [.json(LevelList.schema, "The levels from now on."), noSuchModule]
            )
        ) { .snapshot($0.set) },
        .init(
            .init(
                .delete,
                "/v1/log/levels/{module}",
                "Take its own level from a module.",
                access: .admin,
                inputs: [module],
                answers: [.json(LevelList.schema, "The levels from now on."), noSuchModule]
            )
        ) { .snapshot($0.unset) },
    ]

    private static let body = Route.BodyRule.json(
        JSONSchema.object([
            .required("level", "What matters less is not heard.", .words(LogLevel.allCases.map(\.name)))
        ]).named("LogLevel"),
        upTo: .kibibytes(1),
        mayBeEmpty: false
    )

    private static let module = Route.Input(.path, "module", "A service, or 'corewire' for the runner itself.")

    private static let noSuchModule = Operation.Answer.problem(
        .notFound,
        "no-such-module",
        "Nobody speaks by this name."
    )

    // MARK: Looking

    private func show(_ request: Request) -> Response { .json(LevelList(log.thresholds.levels, modules).json) }

    /// Who may speak: the runner, the services of the file, and who has a level of its own from the start.
    private var modules: [String] {
        let known = [log.of("corewire").module] + control.status.services.map(\.name)
        return known + log.thresholds.levels.byModule.keys.filter { !known.contains($0) }.sorted()
    }

    // MARK: Changing

    private func setUsual(_ request: Request) throws -> Response {
        let level = try Self.level(in: request)
        return change(nil, to: level, by: request) { $0.usual = level }
    }

    private func set(_ request: Request) throws -> Response {
        let (module, level) = (try module(of: request), try Self.level(in: request))
        return change(module, to: level, by: request) { $0.byModule[module] = level }
    }

    private func unset(_ request: Request) throws -> Response {
        let module = try module(of: request)
        return change(module, to: nil, by: request) { $0.byModule[module] = nil }
    }

    /// Changes the levels and logs it, by the level before the change or after it: one that silences the log is seen in it.
    private func change(
        _ module: String?,
        to level: LogLevel?,
        by request: Request,
        _ edit: (inout LogLevels) -> Void
    ) -> Response {
        func record() {
            log.notice(
                "log level changed",
                [
                    "of": .text(module ?? "all others"), "to": .text(level?.name ?? "that of all others"),
                    "by": .text(request.rights.account),
                ]
            )
        }
        let wasHeard = log.thresholds.allow(.notice, of: log.module)
        if wasHeard { record() }
        log.thresholds.change(edit)
        if !wasHeard { record() }
        return show(request)
    }

    private func module(of request: Request) throws(Problem) -> String {
        let name = request[parameter: "module"]
        let modules = modules
        if modules.contains(name) { return name }
        let nearest = Nearest.name(to: name, among: modules).map { "; did you mean '\($0)'?" }
        throw Problem(
            .notFound,
            "no-such-module",
            "nobody speaks by this name",
            detail: "there is no module \(name.quoted)" + (nearest ?? "; there are \(modules.listed("and"))")
        )
    }

    private static func level(in request: Request) throws(Problem) -> LogLevel {
        try request.json { (members) throws(Problem) in
            let name = try members.text("level")
            guard let level = LogLevel.allCases.first(where: { $0.name == name }) else {
                let names = LogLevel.allCases.map(\.name)
                let nearest = Nearest.name(to: name, among: names).map { ", did you mean '\($0)'?" } ?? ""
                throw members.failure("found \(name.quoted), expected \(names.listed())\(nearest)", "level")
            }
            return level
        }
    }
}

/// The levels, as they are told.
private struct LevelList: JSONObject {
    let usual: LogLevel
    let modules: [Level]

    struct Level: JSONObject {
        let name: String
        let level: LogLevel
        let isOwn: Bool

        static let shape = JSONShape<Self>(
            "ModuleLogLevel",
            "From which level on a module is heard.",
            [
                .member("name", "The module.") { $0.name },
                .member("level", "What matters less is not heard.", as: .words(LogLevel.allCases.map(\.name))) {
                    $0.level.name
                },
                .member("own", "Whether it has a level of its own.") { $0.isOwn },
            ]
        )
    }

    init(_ levels: LogLevels, _ modules: [String]) {
        usual = levels.usual
        self.modules = modules.map {
            Level(name: $0, level: levels.level(of: $0), isOwn: levels.byModule[$0] != nil)
        }
    }

    static let shape = JSONShape<Self>(
        "LogLevels",
        "From which level on each module is heard.",
        [
            .member("usual", "Of modules without a level of their own.", as: .words(LogLevel.allCases.map(\.name))) {
                $0.usual.name
            },
            .member("modules", "Every module.") { $0.modules },
        ]
    )
}
