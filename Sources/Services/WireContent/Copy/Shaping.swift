import WireBase
import WireConfig
import WireContentContract

/// Shapes an instance for a query: the requested fields, in one language, with referenced instances.
struct Shaping {
    private let query: ContentQuery
    private let find: (String) -> ContentItem?
    /// The number of dangling references.
    private(set) var unresolved = 0
    private var allowance = CopyAllowance()

    init(_ query: ContentQuery, _ find: @escaping (String) -> ContentItem?) {
        self.query = query
        self.find = find
    }

    /// The bytes of the result; those of the server where nothing is changed.
    mutating func bytes(of hit: ContentSearch.Hit) -> [UInt8] {
        guard hit.locale != nil || !query.fields.isEmpty || query.include != nil else { return hit.item.bytes }
        guard var values = hit.values, case .object(let members) = hit.item.value else { return hit.item.bytes }
        if !query.fields.isEmpty, case .object(let fields) = values {
            values = .object(fields.filter { query.fields.contains($0.key) })
        }
        if query.include != nil { values = populated(values) }
        let shaped = JSONValue.object(members.map { $0.key == "values" ? ($0.key, values) : $0 })
        return shaped.bytes()
    }

    /// The fields with references replaced by their instances, one level deep.
    private mutating func populated(_ values: JSONValue) -> JSONValue {
        guard case .object(let fields) = values else { return values }
        var populated: [(key: String, value: JSONValue)] = []
        for field in fields {
            populated.append((field.key, includes(field.key) ? resolved(field.value, isNamed: isNamed) : field.value))
        }
        return .object(populated)
    }

    private func includes(_ field: String) -> Bool {
        switch query.include {
        case .all: true
        case .fields(let fields): fields.contains(field)
        case nil: false
        }
    }

    /// Whether the query names the fields, so that their values are known to be references.
    private var isNamed: Bool { if case .fields = query.include { true } else { false } }

    private mutating func resolved(_ value: JSONValue, isNamed: Bool) -> JSONValue {
        switch value {
        case .string(let id):
            // Above the allowance, references stay.
            if let item = find(id) { return allowance.takes(id, size: { item.bytes.count }) ? item.value : value }
            if isNamed { unresolved += 1 }
            return value
        case .array(let items):
            var found: [JSONValue] = []
            for item in items { found.append(resolved(item, isNamed: isNamed)) }
            return .array(found)
        default: return value
        }
    }
}

/// The references in a field: ids, or objects with an id.
enum References {
    static func identifiers(in value: JSONValue?) -> [String] {
        switch value {
        case .string(let id): id.isEmpty ? [] : [id]
        case .array(let items): items.flatMap { identifiers(in: $0) }
        case .object: value?["id"]?.string.map { [$0] } ?? []
        default: []
        }
    }
}
