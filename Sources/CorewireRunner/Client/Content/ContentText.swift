import CorewireCLI
import WireBase
import WireConfig
import WireHTTP

/// Content as people read it in a terminal.
enum ContentText {
    static func modules(_ json: JSONValue, _ paint: Paint) -> String {
        var table = Table(["id", "name", "single", "changed"])
        for item in json["items"]?.array ?? [] {
            table.add([
                "\(item.line("id") ?? "")", "\(item.line("name") ?? "")",
                item["isSingle"]?.boolean ?? false ? "single" : "", "\(moment(item["updatedAt"]))",
            ])
        }
        return page(json, table, paint, nothing: "no modules")
    }

    static func instances(_ json: JSONValue, _ paint: Paint) -> String {
        var table = Table(["id", "name", "changed", "values"])
        for item in json["items"]?.array ?? [] {
            let values = item["values"].map { $0.text().shown(upTo: 100) } ?? ""
            table.add([
                "\(item.line("id") ?? "")", "\(item.line("name", upTo: 40) ?? "")", "\(moment(item["updatedAt"]))",
                "\(values)",
            ])
        }
        return page(json, table, paint, nothing: "nothing found")
    }

    private static func page(_ json: JSONValue, _ table: Table, _ paint: Paint, nothing: String) -> String {
        let count = json["items"]?.array?.count ?? 0
        let pagination = json["pagination"]
        let (page, pages) = (pagination?["page"]?.integer ?? 1, pagination?["totalPages"]?.integer ?? 1)
        let total = pagination?["totalItems"]?.integer ?? count
        guard count > 0 else { return pages > 1 || page > 1 ? "nothing on page \(page) of \(pages)\n" : "\(nothing)\n" }
        return table.text(paint) + (pages > 1 ? "page \(page) of \(pages), \(total) in all\n" : "")
    }

    /// Says so where it is not the server's own answer of now.
    static func origin(_ answer: RunnerAnswer) -> String {
        guard let fact = answer.fields["Corewire-Cache"], !fact.hasPrefix("miss"), !fact.hasPrefix("bypass") else {
            return ""
        }
        let age = answer.fields["Age"].flatMap { Int($0) }.map { ", \($0)s old" } ?? ""
        let unresolved = answer.fields["Corewire-Unresolved"].map {
            "; \($0.shown(upTo: 20)) references are not stored"
        }
        return "from what is stored\(age)\(unresolved ?? "")\n"
    }

    static func outcomes(_ json: JSONValue, _ paint: Paint) -> String {
        var table = Table(["operation", "position", "", "id", "reason"])
        for item in json["operations"]?.array ?? [] {
            let isDone = item["success"]?.boolean ?? false
            let word = isDone ? "done" : item["conflict"]?.boolean ?? false ? "conflict" : "failed"
            table.add([
                "\(item.line("operation") ?? "")", "\(item["position"]?.integer ?? 0)",
                .init(word, isDone ? .good : .error), "\(item["data"]?.line("id") ?? "")",
                "\(item.line("message") ?? item["status"]?.integer.map { "status \($0)" } ?? "")",
            ])
        }
        return table.text(paint)
    }

    static func synced(_ modules: [JSONValue], _ paint: Paint) -> String {
        guard !modules.isEmpty else { return "no modules are kept here\n" }
        var table = Table(["module", "", "items", "new", "changed", "gone", "took", "reason"])
        for module in modules {
            let sync = module["sync"]
            let isDone = module["done"]?.boolean ?? false
            table.add([
                "\(module.line("module") ?? "")", .init(isDone ? "up to date" : "failed", isDone ? .good : .error),
                "\(number(sync?["items"]))", "\(number(sync?["created"]))", "\(number(sync?["updated"]))",
                "\(number(sync?["deleted"]))", "\(sync?["took"]?.integer.map { "\($0)ms" } ?? "")",
                "\(module.line("failure") ?? "")",
            ])
        }
        return table.text(paint)
    }

    static func states(_ json: JSONValue, _ paint: Paint, withLog: Bool) -> String {
        let modules = json["modules"]?.array ?? []
        guard !modules.isEmpty else { return "no modules are kept here\n" }
        var table = Table(["module", "items", "size", "language", "up to date", "failures", "reason"])
        for module in modules {
            table.add([
                "\(module.line("module") ?? "")", "\(module["items"]?.integer.map { "\($0)" } ?? "none yet")",
                "\(module["size"]?.integer.map { ByteCount.bytes($0).description } ?? "")",
                "\(module.line("locale") ?? "")", "\(Showing.time(module["checked"]?.integer))",
                "\(module["failures"]?.integer.map { $0 > 0 ? "\($0)" : "" } ?? "")", "\(module.line("failure") ?? "")",
            ])
        }
        guard withLog, let log = modules.first?["log"]?.array, !log.isEmpty else { return table.text(paint) }
        var times = Table(["began", "took", "items", "new", "changed", "gone", "reason"])
        for time in log {
            times.add([
                "\(Showing.time(time["time"]?.integer))", "\(time["took"]?.integer.map { "\($0)ms" } ?? "")",
                "\(number(time["items"]))", "\(number(time["created"]))", "\(number(time["updated"]))",
                "\(number(time["deleted"]))", "\(time.line("failure") ?? "")",
            ])
        }
        return table.text(paint) + "\n" + times.text(paint)
    }

    private static func number(_ value: JSONValue?) -> String { value?.integer.map { "\($0)" } ?? "" }

    /// Servers write moments as milliseconds or as text.
    private static func moment(_ value: JSONValue?) -> String {
        value?.integer.map { Showing.time($0) } ?? value?.string?.shown(upTo: 30) ?? ""
    }
}
