import WireBase
import WireConfig
import WireContentContract
import WireHTTP

/// Content as text.
enum ContentText {
    static func modules(_ reply: RunnerReply<ContentPage>, _ paint: Paint) -> String {
        var table = Table(["id", "name", "single", "changed"])
        for item in reply.answer.items.map(\.value) {
            let single = item["isSingle"]?.boolean ?? false ? "single" : ""
            table.add([
                "\(item.line("id") ?? "")", "\(item.line("name") ?? "")", .init(single), moment(item["updatedAt"]),
            ])
        }
        return page(reply, table, paint, nothing: "no modules")
    }

    static func instances(_ reply: RunnerReply<ContentPage>, _ paint: Paint) -> String {
        var table = Table(["id", "name", "changed", "values"])
        for item in reply.answer.items.map(\.value) {
            let values = item["values"].map { $0.text().shown(upTo: 100) } ?? ""
            let name = item.line("name", upTo: 40) ?? ""
            table.add(["\(item.line("id") ?? "")", .init(name), moment(item["updatedAt"]), .init(values)])
        }
        return page(reply, table, paint, nothing: "nothing found")
    }

    private static func page(_ reply: RunnerReply<ContentPage>, _ table: Table, _ paint: Paint, nothing: String)
        -> String
    {
        let (page, pages) = (reply.answer.pagination.page, reply.answer.pagination.totalPages)
        guard !reply.answer.items.isEmpty else {
            return (pages > 1 || page > 1 ? "page \(page) of \(pages) is empty\n" : "\(nothing)\n") + origin(reply)
        }
        let place = "page \(page) of \(pages), \(reply.answer.pagination.totalItems) in all\n"
        return table.text(paint) + (pages > 1 ? place : "") + origin(reply)
    }

    /// A note where the content is not the server's present one.
    private static func origin(_ reply: RunnerReply<ContentPage>) -> String {
        guard let fact = reply.fields[ContentFact.field], !ContentFact.reported(fact).isServers else { return "" }
        let age = reply.fields["Age"].flatMap { Int($0) }.map { ", \($0)s old" } ?? ""
        let unresolved = reply.fields[ContentFact.unresolvedField]
            .map { "; \($0.shown(upTo: 20)) references are not stored" }
        return "from stored content\(age)\(unresolved ?? "")\n"
    }

    static func outcomes(_ outcomes: [ContentOutcome], _ paint: Paint) -> String {
        var table = Table(["operation", "position", "", "id", "reason"])
        for outcome in outcomes {
            let word = outcome.isDone ? "done" : outcome.isConflict ? "conflict" : "failed"
            table.add([
                shown(outcome.operation), "\(outcome.position)", .init(word, outcome.isDone ? .good : .error),
                "\(outcome.data?.line("id") ?? "")", shown(outcome.message ?? outcome.status.map { "status \($0)" }),
            ])
        }
        return table.text(paint)
    }

    static func synced(_ modules: [ContentSyncOutcome], _ paint: Paint) -> String {
        guard !modules.isEmpty else { return "no local copies\n" }
        var table = Table(["module", "", "items", "new", "changed", "gone", "took", "reason"])
        for module in modules {
            let sync = module.sync
            table.add([
                shown(module.module), module.isDone ? .init("up to date", .good) : .init("failed", .error),
                number(sync?.items), number(sync?.created), number(sync?.updated), number(sync?.deleted),
                "\(sync.map { "\($0.duration)ms" } ?? "")", shown(module.reason),
            ])
        }
        return table.text(paint)
    }

    static func copies(_ modules: [ContentCopy], _ paint: Paint, withLog: Bool) -> String {
        guard !modules.isEmpty else { return "no local copies\n" }
        var table = Table(["module", "items", "size", "language", "up to date", "failures", "reason"])
        for module in modules {
            table.add([
                shown(module.module), "\(module.items.map { "\($0)" } ?? "none yet")",
                "\(module.size.map { ByteCount.bytes($0).description } ?? "")", shown(module.locale),
                "\(Display.time(module.checked))", "\(module.failures > 0 ? "\(module.failures)" : "")",
                shown(module.failure),
            ])
        }
        guard withLog, let log = modules.first?.log, !log.isEmpty else { return table.text(paint) }
        var times = Table(["began", "took", "items", "new", "changed", "gone", "reason"])
        for sync in log {
            times.add([
                "\(Display.time(sync.time))", "\(sync.duration)ms", number(sync.items), "\(sync.created)",
                "\(sync.updated)", "\(sync.deleted)", shown(sync.failure),
            ])
        }
        return table.text(paint) + "\n" + times.text(paint)
    }

    private static func number(_ value: Int?) -> Table.Cell { "\(value.map { "\($0)" } ?? "")" }
    private static func shown(_ text: String?) -> Table.Cell { "\(text?.shown(upTo: 400) ?? "")" }

    /// Servers write times as milliseconds or as text.
    private static func moment(_ value: JSONValue?) -> Table.Cell {
        "\(value?.integer.map { Display.time($0) } ?? value?.string?.shown(upTo: 30) ?? "")"
    }
}
