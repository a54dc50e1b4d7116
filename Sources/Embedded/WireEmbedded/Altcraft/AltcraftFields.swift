import WireBase
import WireConfig
import WireHTTP

/// The changes to the fields of a profile: a new value each, or an action on the present value.
struct AltcraftFields: Sendable {
    private enum Change: Sendable {
        case set(JSONValue), unset, incr(JSONValue), add(JSONValue), delete(JSONValue), upsert(JSONValue)
    }

    private let changes: [(name: String, change: Change)]
    private static let most = 500
    /// The largest number of items in the list of a field.
    private static let longest = 1_000
    private static let actions = ["set", "unset", "incr", "add", "delete", "upsert"]

    var isEmpty: Bool { changes.isEmpty }

    /// Reads the changes from an object; `null` and an absent object change nothing.
    init(_ json: JSONValue?, _ name: String = "profile_fields") throws(EmbeddedError) {
        guard let json else {
            changes = []
            return
        }
        if case .null = json {
            changes = []
            return
        }
        guard let members = json.members else {
            throw EmbeddedError.altcraft(.badRequest, "\(name): expected an object")
        }
        guard members.count <= Self.most else {
            throw EmbeddedError.altcraft(
                .badRequest,
                "\(name): found \(members.count) fields, expected \(Self.most) at most"
            )
        }
        var changes: [(name: String, change: Change)] = []
        for (key, value) in members {
            guard (1...256).contains(key.utf8.count), value.bytes().count <= 16_384 else {
                throw EmbeddedError.altcraft(
                    .badRequest,
                    "\(name).\(key.shown(upTo: 60)): the name or the value is too long"
                )
            }
            changes.append((key, try Self.change(value, "\(name).\(key.shown(upTo: 60))")))
        }
        self.changes = changes
    }

    private static func change(_ value: JSONValue, _ place: String) throws(EmbeddedError) -> Change {
        guard let members = value.members else { return .set(value) }
        guard let action = value["action"]?.string, members.allSatisfy({ ["action", "value"].contains($0.key) }) else {
            throw EmbeddedError.altcraft(.badRequest, "\(place): expected a plain value, or 'action' and 'value'")
        }
        let given = value["value"]
        if action == "unset" { return .unset }
        guard actions.contains(action) else {
            throw EmbeddedError.altcraft(
                .badRequest,
                "\(place).action: found \(action.quoted), expected \(actions.listed())"
            )
        }
        guard let given else { throw EmbeddedError.altcraft(.badRequest, "\(place): \(action.quoted) needs a value") }
        switch action {
        case "incr":
            guard given.double != nil else {
                throw EmbeddedError.altcraft(.badRequest, "\(place).value: expected a number")
            }
            return .incr(given)
        case "add": return .add(given)
        case "delete": return .delete(given)
        case "upsert": return .upsert(given)
        default: return .set(given)
        }
    }

    /// Returns the fields after all changes; throws and changes nothing if one of them is invalid.
    func applied(to fields: [(key: String, value: JSONValue)]) throws(EmbeddedError) -> [(
        key: String, value: JSONValue
    )] {
        var fields = fields
        for (name, change) in changes {
            let place = fields.firstIndex { $0.key == name }
            let old = place.map { fields[$0].value }
            let new = try Self.value(change, of: old, name)
            if let place { fields.remove(at: place) }
            if let new { fields.insert((name, new), at: place ?? fields.count) }
        }
        guard fields.count <= Self.most else {
            throw EmbeddedError.altcraft(.badRequest, "the profile would have more than \(Self.most) fields")
        }
        return fields
    }

    private static func value(_ change: Change, of old: JSONValue?, _ name: String) throws(EmbeddedError) -> JSONValue?
    {
        switch change {
        case .set(let value): return value
        case .unset: return nil
        case .incr(let by): return try sum(old, by, name)
        case .add(let value): return try longer(list(old, name), by: value, name)
        case .delete(let value):
            let unwanted = value.bytes()
            return .array(try list(old, name).filter { $0.bytes() != unwanted })
        case .upsert(let value):
            let (list, wanted) = (try list(old, name), value.bytes())
            return list.contains { $0.bytes() == wanted } ? .array(list) : try longer(list, by: value, name)
        }
    }

    private static func longer(_ list: [JSONValue], by value: JSONValue, _ name: String) throws(EmbeddedError)
        -> JSONValue
    {
        guard list.count < longest else {
            throw EmbeddedError.altcraft(
                .badRequest,
                "\(name.shown(upTo: 60)): its list would have more than \(longest) items"
            )
        }
        return .array(list + [value])
    }

    private static func sum(_ old: JSONValue?, _ by: JSONValue, _ name: String) throws(EmbeddedError) -> JSONValue {
        let old = old ?? .integer(0)
        if let left = old.integer, let right = by.integer {
            let (sum, isTooMuch) = left.addingReportingOverflow(right)
            if !isTooMuch { return .integer(sum) }
        }
        guard let left = old.double, let right = by.double, (left + right).isFinite else {
            throw EmbeddedError.altcraft(.badRequest, "\(name.shown(upTo: 60)): its value is not a number")
        }
        return .number(left + right)
    }

    private static func list(_ old: JSONValue?, _ name: String) throws(EmbeddedError) -> [JSONValue] {
        guard let old else { return [] }
        if case .null = old { return [] }
        guard let list = old.array else {
            throw EmbeddedError.altcraft(.badRequest, "\(name.shown(upTo: 60)): its value is not a list")
        }
        return list
    }
}
