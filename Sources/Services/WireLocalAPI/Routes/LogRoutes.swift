import WireBase
import WireHTTP
import WireRunnerContract
import WireTelemetry

/// The log levels of modules: shown, and changed at run time.
struct LogRoutes: RouteGroup {
    let control: any RunnerControl
    let log: Log

    static let table: [RouteEntry<Self>] = [
        .call(LogLevelCalls.show, atOnce: LogRoutes.show),
        .call(LogLevelCalls.setUsual, atOnce: LogRoutes.setUsual),
        .call(LogLevelCalls.set, atOnce: LogRoutes.set),
        .call(LogLevelCalls.unset, atOnce: LogRoutes.unset),
    ]

    private var shown: APIReply<LogLevelList> { APIReply(LogLevelList(log.thresholds.levels, modules)) }

    /// The modules of the log: the runner, the services of the file, and those with a level from the start.
    private var modules: [String] {
        let known = [log.of("corewire").module] + control.status.services.map(\.name)
        return known + log.thresholds.levels.byModule.keys.filter { !known.contains($0) }.sorted()
    }

    private func show(_ request: APIRequest<NoInput>) throws(LogLevelFailure) -> APIReply<LogLevelList> { shown }

    private func setUsual(_ request: APIRequest<UsualLogLevel>) throws(LogLevelFailure) -> APIReply<LogLevelList> {
        change(nil, to: request.level, by: request.rights) { $0.usual = request.level }
    }

    private func set(_ request: APIRequest<OwnLogLevel>) throws(LogLevelFailure) -> APIReply<LogLevelList> {
        try check(request.module)
        return change(request.module, to: request.level, by: request.rights) {
            $0.byModule[request.module] = request.level
        }
    }

    private func unset(_ request: APIRequest<LogModule>) throws(LogLevelFailure) -> APIReply<LogLevelList> {
        try check(request.module)
        return change(request.module, to: nil, by: request.rights) { $0.byModule[request.module] = nil }
    }

    /// Changes the levels and logs that at the more verbose of the old and the new level.
    private func change(
        _ module: String?,
        to level: LogLevel?,
        by rights: Rights,
        _ edit: (inout LogLevels) -> Void
    ) -> APIReply<LogLevelList> {
        func record() {
            log.notice(
                "log level changed",
                [
                    "of": .text(module ?? "all others"), "to": .text(level?.name ?? "the level of all other modules"),
                    "by": .text(rights.account),
                ]
            )
        }
        let wasHeard = log.thresholds.allow(.notice, of: log.module)
        if wasHeard { record() }
        log.thresholds.change(edit)
        if !wasHeard { record() }
        return shown
    }

    private func check(_ name: String) throws(LogLevelFailure) {
        let modules = modules
        guard !modules.contains(name) else { return }
        let nearest = Nearest.name(to: name, among: modules).map { "; did you mean '\($0)'?" }
        throw LogLevelFailure(
            .noSuchModule,
            "unknown module \(name.quoted)" + (nearest ?? "; there are \(modules.listed("and"))")
        )
    }
}
