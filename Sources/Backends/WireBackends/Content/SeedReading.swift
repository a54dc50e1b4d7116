import WireBase
import WireConfig
import WireHTTP

/// Reads one content file into a module with its instances.
struct SeedReading {
    struct Instance {
        let key: String
        var id: String?
        var name: String
        var values = JSONValue.object([])
        var tags: [HaloTag] = []
        var created: Int64?
        var published: Int64?
        var removed: Int64?
        var archived: Int64?
        /// The places of its values, by their names.
        var places: [String: NodeID] = [:]
    }

    private let document: Document
    private(set) var name: String
    private(set) var id: String?
    private(set) var isSingle = false
    private(set) var tags: [HaloTag] = []
    private(set) var fields: [HaloModule.Field] = []
    private(set) var instances: [Instance] = []
    private(set) var problems: [Diagnostic] = []

    /// Takes the file's name without extension as the module's name, unless the file has another.
    init(_ document: Document, _ stem: String) {
        self.document = document
        name = stem
    }

    mutating func report(_ message: String, at node: NodeID?, help: String? = nil) {
        problems.append(Diagnostic(.badContent, message, at: node.map(document.place)).helped(by: help))
    }

    mutating func read(_ root: NodeID) {
        guard isMapping(root, "a module") else { return }
        let known = ["module", "id", "single", "tags", "fields", "instances"]
        for entry in document.entries(root) {
            switch document.text(entry.key) {
            case "module": name = text(entry.value, "module") ?? name
            case "id": id = identifier(entry.value)
            case "single": isSingle = boolean(entry.value, "single")
            case "tags": tags = readTags(entry.value)
            case "fields": readFields(entry.value)
            // Read after the fields, in any order of the file.
            case "instances": break
            case let other: reportUnknown(other, entry.key, known)
            }
        }
        if let node = document.value("instances", of: root) { readInstances(node) }
        if isSingle, instances.count > 1 { report("a module with 'single: true' has one instance", at: root) }
    }

    // MARK: Fields

    private mutating func readFields(_ node: NodeID) {
        guard isMapping(node, "fields") else { return }
        for entry in document.entries(node) {
            let name = document.text(entry.key)
            // A field is a type's name, or a mapping with further members.
            guard document.kind(entry.value) == .mapping else {
                if let type = type(entry.value) { fields.append(HaloModule.Field(name: name, type: type)) }
                continue
            }
            var field = HaloModule.Field(name: name, type: .text)
            var type = field.type
            for part in document.entries(entry.value) {
                switch document.text(part.key) {
                case "type": type = self.type(part.value) ?? .text
                case "localized": field.isLocalized = boolean(part.value, "localized")
                case "module": field.related = text(part.value, "module")
                case let other: reportUnknown(other, part.key, ["type", "localized", "module"])
                }
            }
            if type == .relation, field.related == nil {
                report("the field \(name.quoted) has no module", at: entry.value, help: "write 'module: …'")
            }
            var read = HaloModule.Field(name: name, type: type)
            (read.isLocalized, read.related) = (field.isLocalized, field.related)
            fields.append(read)
        }
    }

    private mutating func type(_ node: NodeID) -> HaloModule.FieldType? {
        let text = document.text(node)
        if document.kind(node).isScalar, let type = HaloModule.FieldType(rawValue: text) { return type }
        let words = HaloModule.FieldType.allCases.map(\.rawValue)
        let nearest = Nearest.name(to: text, among: words).map { "did you mean \($0.quoted)?" }
        report("found \(shown(node)), expected \(words.listed())", at: node, help: nearest)
        return nil
    }

    // MARK: Instances

    private mutating func readInstances(_ node: NodeID) {
        guard isMapping(node, "instances") else { return }
        for entry in document.entries(node) {
            let key = document.text(entry.key)
            var instance = Instance(key: key, name: key)
            guard isMapping(entry.value, "an instance") else { continue }
            for part in document.entries(entry.value) { readPart(part, of: &instance) }
            check(instance)
            instances.append(instance)
        }
    }

    private mutating func readPart(_ part: Entry, of instance: inout Instance) {
        switch document.text(part.key) {
        case "id": instance.id = identifier(part.value)
        case "name": instance.name = text(part.value, "name") ?? instance.name
        case "tags": instance.tags = readTags(part.value)
        case "values":
            guard isMapping(part.value, "values") else { return }
            instance.values = value(part.value, nil)
            for value in document.entries(part.value) { instance.places[document.text(value.key)] = value.value }
        case "createdAt": instance.created = moment(part.value)
        case "publishedAt": instance.published = moment(part.value)
        case "removedAt": instance.removed = moment(part.value)
        case "archivedAt": instance.archived = moment(part.value)
        case let other:
            let known = ["id", "name", "tags", "values", "createdAt", "publishedAt", "removedAt", "archivedAt"]
            reportUnknown(other, part.key, known)
        }
    }

    /// Checks the values against the fields.
    private mutating func check(_ instance: Instance) {
        guard !fields.isEmpty else { return }
        var module = HaloModule(id: "", name: name)
        module.fields = fields
        for flaw in module.flaws(of: instance.values) {
            let member = flaw.key.split(separator: ".").dropFirst().first.map(String.init) ?? ""
            let isUnknown = flaw.value == "undefined_attribute"
            let nearest = Nearest.name(to: member, among: fields.map(\.name)).map { "did you mean \($0.quoted)?" }
            report(
                isUnknown
                    ? "\(member.quoted) is not a field of module \(name.quoted)" : "\(member.quoted): \(flaw.value)",
                at: instance.places[member],
                help: isUnknown ? nearest : nil
            )
        }
    }

    /// Returns the values with references replaced by identifiers.
    mutating func resolved(_ instance: Instance, among ids: [String: [String: String]]) -> JSONValue {
        guard case .object(var members) = instance.values else { return instance.values }
        for index in members.indices {
            guard let field = fields.first(where: { $0.name == members[index].key }), field.type == .relation,
                let module = field.related
            else { continue }
            let keys = members[index].value.array?.compactMap(\.string) ?? [members[index].value.string ?? ""]
            let found = keys.compactMap { ids[module]?[$0] }
            if let unknown = keys.first(where: { !$0.isEmpty && ids[module]?[$0] == nil }) {
                report(
                    "unknown instance \(unknown.quoted) of the module \(module.quoted)",
                    at: instance.places[field.name],
                    help: Nearest.name(to: unknown, among: (ids[module] ?? [:]).keys.sorted()).map {
                        "did you mean \($0.quoted)?"
                    }
                )
            }
            members[index].value =
                members[index].value.array == nil
                ? found.first.map(JSONValue.string) ?? .null : .array(found.map(JSONValue.string))
        }
        return .object(members)
    }
}

/// Single values.
extension SeedReading {
    private func isMappingNode(_ node: NodeID) -> Bool { document.kind(node) == .mapping }

    fileprivate mutating func isMapping(_ node: NodeID, _ what: String) -> Bool {
        if isMappingNode(node) { return true }
        // An empty value is an empty mapping, as in a services file.
        if document.isNull(node) { return false }
        report("\(what): found \(shown(node)), expected a mapping", at: node)
        return false
    }

    fileprivate mutating func reportUnknown(_ name: String, _ node: NodeID, _ known: [String]) {
        let nearest = Nearest.name(to: name, among: known).map { "did you mean \($0.quoted)?" }
        report("unknown key \(name.quoted), expected \(known.listed())", at: node, help: nearest)
    }

    fileprivate func shown(_ node: NodeID) -> String {
        switch document.kind(node) {
        case .mapping: "a mapping"
        case .sequence: "a list"
        default: document.text(node).quoted
        }
    }

    fileprivate mutating func text(_ node: NodeID, _ what: String) -> String? {
        let text = document.text(node)
        if document.kind(node).isScalar, (1...512).contains(text.utf8.count) { return text }
        report("\(what): found \(shown(node)), expected text", at: node)
        return nil
    }

    fileprivate mutating func identifier(_ node: NodeID) -> String? {
        let text = document.text(node)
        if document.kind(node).isScalar, HaloModule.isID(text) { return text }
        report("id: found \(shown(node)), expected 1 to 64 letters and digits", at: node)
        return nil
    }

    fileprivate mutating func boolean(_ node: NodeID, _ what: String) -> Bool {
        if document.kind(node) == .plain, case .boolean(let value) = CoreScalar(document.bytes(node)) { return value }
        report("\(what): found \(shown(node)), expected true or false", at: node)
        return false
    }

    fileprivate mutating func readTags(_ node: NodeID) -> [HaloTag] {
        guard isMapping(node, "tags") else { return [] }
        return document.entries(node).compactMap { entry in
            guard let value = text(entry.value, "tags") else { return nil }
            return HaloTag(document.text(entry.key), value)
        }
    }

    /// Reads a time in milliseconds, or a date with or without a time in UTC.
    fileprivate mutating func moment(_ node: NodeID) -> Int64? {
        if document.isNull(node) { return nil }
        if document.kind(node) == .plain, case .integer(let number) = CoreScalar(document.bytes(node)),
            (0...HaloModule.lastMoment).contains(Int64(number))
        {
            return Int64(number)
        }
        if document.kind(node).isScalar, let moment = Self.moment(document.text(node)) { return moment }
        report("found \(shown(node)), expected a timestamp such as 2026-01-31T08:00:00Z", at: node)
        return nil
    }

    private static func moment(_ text: String) -> Int64? {
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        let date = halves[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard halves.count <= 2, date.count == 3, let year = date[0], let month = date[1], let day = date[2],
            (1...12).contains(month), (1...31).contains(day), halves[0].count == 10
        else { return nil }
        var clock = "00:00:00"
        if halves.count == 2 {
            guard halves[1].hasSuffix("Z"), halves[1].count == 9 else { return nil }
            clock = String(halves[1].dropLast())
        }
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        // The day of the week is ignored.
        return HTTPDate(parsing: "Mon, \(date[2].map(Self.padded) ?? "") \(months[month - 1]) \(year) \(clock) GMT")
            .map { $0.seconds * 1_000 }
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Returns a value as JSON, with dates of date fields in milliseconds.
    fileprivate mutating func value(_ node: NodeID, _ field: HaloModule.Field?) -> JSONValue {
        if field?.type == .date, document.kind(node).isScalar { return .moment(moment(node)) }
        switch document.kind(node) {
        case .mapping:
            var members: [(key: String, value: JSONValue)] = []
            for entry in document.entries(node) {
                let name = document.text(entry.key)
                members.append((name, value(entry.value, field ?? fields.first { $0.name == name })))
            }
            return .object(members)
        case .sequence:
            var items: [JSONValue] = []
            for item in document.items(node) { items.append(value(item, field)) }
            return .array(items)
        case .quoted, .alias: return .string(document.text(node))
        case .plain:
            // Text stays text, whatever its form.
            if field?.type == .text || field?.type == .html || field?.type == .relation {
                return document.isNull(node) ? .null : .string(document.text(node))
            }
            switch CoreScalar(document.bytes(node)) {
            case .null: return .null
            case .boolean(let value): return .boolean(value)
            case .integer(let value): return .integer(value)
            case .number(let value) where value.isFinite: return .number(value)
            default: return .string(document.text(node))
            }
        }
    }
}
