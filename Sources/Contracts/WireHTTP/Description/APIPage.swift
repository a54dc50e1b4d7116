import WireConfig

/// The operations of the local API as a page of the documentation.
struct APIPage: Sendable {
    private let operations: [Operation]

    init(_ operations: [Operation]) { self.operations = operations }

    var markdown: String {
        """
        # The local API

        Every operation, by area; `corewire schema api` prints the same as OpenAPI, with the schema of each value. Over the
        Unix socket neither a token nor `X-Corewire` is needed; [running.md](running.md) says who may do what. Any operation
        can also be answered with 400, 401, 403, 404 of a path, 429, 500 and 503 while the runner starts or ends.


        """ + areas.map { section(of: $0) }.joined(separator: "\n")
    }

    /// The first step of a path below its version.
    private func area(of operation: Operation) -> String {
        let steps = operation.path.split(separator: "/").map(String.init)
        return steps.first == "v1" ? steps.dropFirst().first ?? "" : "health"
    }

    private var areas: [String] {
        operations.map(area).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.sorted()
    }

    private func section(of area: String) -> String {
        let rows = operations.filter { self.area(of: $0) == area }.map(\.row)
        return "## \(area)\n\n| operation | access | does | takes | answers |\n|---|---|---|---|---|\n" + rows.joined()
    }
}

extension Operation {
    fileprivate var row: String {
        let cells = ["`\(method.name) \(path)`", access.rawValue, summary, takes, answered]
        return "| \(cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ")) |\n"
    }

    private var takes: String {
        let items = inputs.filter { $0.kind != .path }.map { input in
            input.kind == .query ? "`?\(input.name)`" : "`\(input.name)`"
        }
        return (items + [bodyName].compactMap { $0 }).joined(separator: ", ")
    }

    private var bodyName: String? {
        switch body {
        case .none: nil
        case .json(let schema, _, _): schema.name.map { "`\($0)`" } ?? "JSON"
        case .collected(let types, _), .streamed(let types, _):
            types.isEmpty ? "a body" : types.joined(separator: " or ")
        }
    }

    /// By status, what is answered and the kinds of problems.
    private var answered: String {
        let codes = Set(answers.map(\.status.code)).sorted()
        return codes.map { code in
            let names = answers.filter { $0.status.code == code }.compactMap(\.name)
            let distinct: [String] = names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
            return "\(code)\(distinct.isEmpty ? "" : " ")" + distinct.joined(separator: ", ")
        }.joined(separator: "; ")
    }
}

extension Operation.Answer {
    fileprivate var name: String? {
        switch content {
        case .nothing, .other: nil
        case .json(let schema): schema.name.map { "`\($0)`" }
        case .problem(let kind, _): kind
        }
    }
}
