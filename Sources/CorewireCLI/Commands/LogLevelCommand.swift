import WireBase
import WireConfig
import WireHTTP
import WireRunnerContract
import WireTelemetry

/// `corewire log-level`: the log levels of modules, shown and changed.
enum LogLevelCommand {
    static let command = Command(
        name: "log-level",
        summary: "Show or change the log levels of the runner.",
        discussion: """
            A change applies until the runner stops; the next start uses '--log-level' of 'corewire
            run'.

            Exit status: 0 done, 1 unknown module.
            """,
        arguments: [
            .init(
                name: "change",
                help:
                    "A level for all modules, or for one: auth=debug; auth=usual resets it. (default: show the levels)",
                isOptional: true
            )
        ],
        options: RunnerCommands.outputOptions,
        run: run
    )

    private static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        var change: Change?
        if let text = invocation.argument(0) { change = try Change(text, invocation) }
        let client = try RunnerClient(invocation)
        let reply = try await reply(to: change, by: client)
        showing.show(reply.json) { text(reply.answer, hasChanged: change != nil, showing.paint) }
        return .success
    }

    private static func text(_ levels: LogLevelList, hasChanged: Bool, _ paint: Paint) -> String {
        var table = Table(["module", "level", ""])
        for module in levels.modules {
            table.add([
                "\(module.name.shown(upTo: 400))", .init(module.level.name, module.isOwn ? .strong : nil),
                "\(module.isOwn ? "set" : "")",
            ])
        }
        let end = hasChanged ? "\nlost at the next start, which uses '--log-level'\n" : ""
        return table.text(paint) + "\nall others: \(levels.usual.name)\n" + end
    }

    /// `debug`, `auth=debug`, or `auth=usual` to reset a module.
    private enum Change {
        case usual(LogLevel)
        case of(String, LogLevel)
        case unset(String)

        init(_ text: String, _ invocation: Invocation) throws {
            let choice = try LevelChoice(text, words: ["usual"], for: invocation.path)
            switch (choice.module, choice.level) {
            case (nil, let level?): self = .usual(level)
            case (let module?, let level?): self = .of(module, level)
            case (let module?, nil): self = .unset(module)
            case (nil, nil):
                throw UsageError("'usual' is for a module, as in 'auth=usual'", for: invocation.path)
            }
        }
    }

    private static func reply(to change: Change?, by client: RunnerClient) async throws -> RunnerReply<LogLevelList> {
        switch change {
        case nil: try await client.perform(LogLevelCalls.show, NoInput())
        case .usual(let level): try await client.perform(LogLevelCalls.setUsual, UsualLogLevel(level))
        case .of(let module, let level): try await client.perform(LogLevelCalls.set, OwnLogLevel(level, of: module))
        case .unset(let module): try await client.perform(LogLevelCalls.unset, LogModule(module))
        }
    }
}
