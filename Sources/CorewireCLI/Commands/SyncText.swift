import WireBase
import WireConfig
import WireGraphQL
import WireSyncContract

/// GraphQL results as text.
enum SyncText {
    static func answer(_ answer: SyncAnswer, _ paint: Paint) -> (text: String, status: ExitStatus) {
        var text = answer.data.map { data(of: $0, paint) } ?? ""
        for error in answer.errors ?? [] {
            text += paint("error", .error) + ": \(line(of: error))\n"
        }
        if answer.source == .cache {
            let age = answer.age.map { ", \(Display.period($0)) old" } ?? ""
            text += paint("from the cache\(age)\(answer.isStale ? ", stale" : "")", .faint) + "\n"
        }
        if let id = answer.id, let state = answer.state, !state.hasEnded {
            text +=
                paint("\(state.rawValue); see 'corewire sync queue show \(id.shown(upTo: 200))'", .faint) + "\n"
        }
        return (text, answer.errors == nil ? .success : .problemsFound)
    }

    static func operations(_ operations: [SyncOperation], _ paint: Paint) -> String {
        guard !operations.isEmpty else { return "no declared operations\n" }
        var table = Table(["operation", "kind", "variables", "selects"])
        for operation in operations {
            let variables = operation.variables.map { variable in
                "\(variable.name): \(variable.type)" + (variable.defaultValue.map { " = \($0)" } ?? "")
            }
            table.add([
                "\(operation.name.shown(upTo: 100))", "\(operation.kind.rawValue)",
                "\(variables.joined(separator: ", ").shown(upTo: 200))",
                "\(operation.reads.joined(separator: ", ").shown(upTo: 200))",
            ])
        }
        return table.text(paint)
    }

    static func changes(_ changes: [SchemaChange], _ paint: Paint) -> String {
        guard !changes.isEmpty else { return "the schema has not changed\n" }
        var table = Table(["severity", "part", "change"])
        for change in changes.sorted(by: { $0.severity < $1.severity }) {
            let tint: Paint.Tint? =
                switch change.severity {
                case .breaking: .error
                case .dangerous: .warning
                case .safe: nil
                }
            table.add([
                .init(change.severity.rawValue, tint), "\(change.coordinate.shown(upTo: 100))",
                "\(change.message.shown(upTo: 200))",
            ])
        }
        return table.text(paint)
    }

    private static func line(of error: JSONValue) -> String {
        let message = error["message"]?.string?.shown(upTo: 400) ?? "unknown error"
        let path = (error["path"]?.array ?? []).map { $0.string ?? $0.text() }.joined(separator: ".")
        let code = error["extensions"]?["code"]?.string.map { " (\($0.shown(upTo: 60)))" } ?? ""
        return (path.isEmpty ? "" : "\(path.shown(upTo: 200)): ") + message + code
    }

    // MARK: Data

    /// A list of objects under one root field is a table; anything else is JSON.
    private static func data(of data: JSONValue, _ paint: Paint) -> String {
        guard let root = data.members, root.count == 1, let rows = rows(of: root[0].value), !rows.isEmpty else {
            return data.text(indented: true) + "\n"
        }
        var columns: [String] = []
        for row in rows { for member in row where !columns.contains(member.key) { columns.append(member.key) } }
        columns.removeAll { $0 == "__typename" }
        guard !columns.isEmpty, columns.count <= 12 else { return data.text(indented: true) + "\n" }
        var table = Table(columns.map { $0.shown(upTo: 40) })
        for row in rows {
            table.add(columns.map { column in .init(row.first { $0.key == column }.map { cell($0.value) } ?? "") })
        }
        return table.text(paint)
    }

    /// The objects of a list, of a page with 'items' or 'nodes', or of a connection with 'edges'.
    private static func rows(of value: JSONValue) -> [[(key: String, value: JSONValue)]]? {
        if let items = value.array {
            let rows = items.compactMap(\.members)
            return rows.count == items.count ? rows : nil
        }
        guard let page = value.members else { return nil }
        for name in ["items", "nodes"] {
            if let list = page.first(where: { $0.key == name })?.value, list.array != nil { return rows(of: list) }
        }
        guard let edges = page.first(where: { $0.key == "edges" })?.value.array else { return nil }
        return rows(of: .array(edges.compactMap { $0["node"] }))
    }

    private static func cell(_ value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .string(let text): text.shown(upTo: 60)
        default: value.text().shown(upTo: 60)
        }
    }
}
