import WireBase
import WireConfig
import WireGraphQL

/// Reads the data file of the GraphQL server into objects or results.
struct GraphQLSeedReading {
    private let document: Document
    private let schema: ModelSchema
    private(set) var objects: [GraphQLSeed] = []
    private(set) var answers: [String: FixedAnswer] = [:]
    private(set) var problems: [Diagnostic] = []
    /// The places of references, which are checked once all objects are read.
    private var links: [(type: String, id: String, node: NodeID)] = []

    init(_ document: Document, _ schema: ModelSchema) {
        (self.document, self.schema) = (document, schema)
    }

    private mutating func report(_ message: String, at node: NodeID, help: String? = nil) {
        problems.append(Diagnostic(.badGraphQL, message, at: document.place(node)).helped(by: help))
    }

    mutating func read(_ root: NodeID) {
        guard document.kind(root) == .mapping else {
            if !document.isNull(root) { report("expected a mapping of types or 'operations'", at: root) }
            return
        }
        for entry in document.entries(root) {
            let name = document.text(entry.key)
            if let model = schema.models[name] {
                readObjects(of: model, entry.value)
            } else if schema.models.isEmpty, name == "operations" {
                readAnswers(entry.value)
            } else {
                let known = schema.models.isEmpty ? ["operations"] : schema.models.keys.sorted()
                report("unknown key \(name.quoted), expected \(known.listed())", at: entry.key, help: hint(name, known))
            }
        }
        let ids = Set(objects.map { "\($0.type)/\($0.id)" })
        for link in links where !ids.contains("\(link.type)/\(link.id)") {
            let known = objects.filter { $0.type == link.type }.map(\.id)
            report("unknown \(link.type) \(link.id.quoted)", at: link.node, help: hint(link.id, known))
        }
    }

    private func hint(_ name: String, _ known: [String]) -> String? {
        Nearest.name(to: name, among: known).map { "did you mean \($0.quoted)?" }
    }

    // MARK: Objects

    private mutating func readObjects(of model: Model, _ node: NodeID) {
        guard document.kind(node) == .sequence else {
            return report("\(model.name): expected a list of objects", at: node)
        }
        var ids: Set<String> = []
        for (index, item) in document.items(node).enumerated() {
            let json = JSONValue(item, of: document)
            var coercion = InputCoercion(schema.schema)
            guard json.members != nil, let values = coercion.coerce(json, as: .named("Create\(model.name)Input")) else {
                let flaws = coercion.problems
                if flaws.isEmpty { report("expected an object of \(model.name.quoted)", at: item) }
                for flaw in flaws { report(said(flaw), at: self.node(at: flaw.path, in: item)) }
                continue
            }
            // Objects without an id are identified by their position.
            let id = values[model.key]?.string ?? "\(index + 1)"
            guard HaloModule.isID(id) else {
                report(
                    "found \(id.quoted), expected 1 to 64 letters, digits, '-' and '_'",
                    at: self.node(at: [.name(model.key)], in: item)
                )
                continue
            }
            guard ids.insert(id).inserted else {
                report(
                    "a second \(model.name) with the id \(id.quoted)",
                    at: self.node(at: [.name(model.key)], in: item)
                )
                continue
            }
            note(linksOf: model, values, item)
            let given = values.merging([(model.key, .string(id))])
            let members = model.stored.map { (key: $0.name, value: given[$0.name] ?? .null) }
            objects.append(GraphQLSeed(type: model.name, id: id, values: .object(members)))
        }
    }

    private func said(_ flaw: InputCoercion.Problem) -> String {
        flaw.path.isEmpty ? flaw.message : "\(flaw.path.text.quoted): \(flaw.message)"
    }

    private mutating func note(linksOf model: Model, _ values: JSONValue, _ item: NodeID) {
        for field in model.fields {
            guard case .one(let other, let key) = field.kind, let id = values[key]?.string else { continue }
            links.append((other, id, node(at: [.name(key)], in: item)))
        }
    }

    /// Returns the node at a path, or the last existing one on the way.
    private func node(at path: [PathStep], in node: NodeID) -> NodeID {
        var node = node
        for step in path {
            switch step {
            case .name(let name):
                guard document.kind(node) == .mapping, let next = document.value(name, of: node) else { return node }
                node = next
            case .index(let index):
                guard document.kind(node) == .sequence else { return node }
                let items = document.items(node)
                guard items.count > index else { return node }
                node = items[items.startIndex + index]
            }
        }
        return node
    }

    // MARK: Results

    private mutating func readAnswers(_ node: NodeID) {
        guard document.kind(node) == .mapping else {
            return report("operations: expected a mapping of names to results", at: node)
        }
        for entry in document.entries(node) {
            let json = JSONValue(entry.value, of: document)
            var answer = FixedAnswer()
            if let events = json["events"] {
                guard let items = events.array, items.allSatisfy({ $0["data"]?.members != nil }) else {
                    report("'events': expected a list of results, each with 'data'", at: entry.value)
                    continue
                }
                answer.events = items
            } else if json["data"]?.members != nil || json["errors"]?.array != nil {
                answer.result = json
            } else {
                report("\(document.text(entry.key)): expected 'data', 'errors' or 'events'", at: entry.value)
                continue
            }
            answers[document.text(entry.key)] = answer
        }
    }
}
