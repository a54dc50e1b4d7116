package import WireConfig

/// The validation rules and error messages of AeroGear's metrics service.
///
/// Used before sending, and by the embedded server on receipt, so that both agree.
package enum MetricsRules {
    package static let longestName = 128
    package static let mostResults = 30

    /// The error for a body that is not a message.
    package static let unreadable = "invalid JSON payload"

    /// The error message of the server for a message; nil where it is valid.
    package static func objection(to message: JSONValue) -> String? {
        guard message.isObject, let client = text("clientId", of: message), let kind = text("type", of: message),
            let data = object("data", of: message)
        else { return unreadable }
        if client.isEmpty { return "Missing clientId in payload" }
        if client.utf8.count > longestName { return "clientId exceeded maximum length of \(longestName)" }
        if kind.isEmpty { return "Missing type in payload" }
        if kind.utf8.count > longestName { return "type exceeded maximum length of \(longestName)" }
        switch message["timestamp"] {
        case nil, .null, .integer: break
        case .number: return "timestamp must be a valid number"
        // The server accepts a number in quotes.
        case .string(let text) where Int64(text) != nil: break
        case .string(let text) where Double(text) != nil: return "timestamp must be a valid number"
        default: return unreadable
        }
        guard let data else { return "Missing metrics data in payload" }
        return objection(to: data, kind)
    }

    private static func objection(to data: JSONValue, _ kind: String) -> String? {
        guard let app = object("app", of: data), let device = object("device", of: data),
            hasTexts(app, ["appId", "sdkVersion", "appVersion", "framework"]),
            hasTexts(device, ["platform", "platformVersion", "device"]),
            let results = array("security", of: data), hasResults(results)
        else { return unreadable }
        if app == nil, device == nil, results == nil { return "Missing metrics data in payload" }
        guard let kind = MetricsMessage.Kind(rawValue: kind) else { return "payload type unknown" }
        if app == nil { return "Missing data.app in payload" }
        if device == nil { return "Missing data.device in payload" }
        guard kind == .security else { return nil }
        guard let results else { return "Missing data.security in security-type payload" }
        if results.isEmpty { return "data.security cannot be empty" }
        if results.count > mostResults { return "maximum length of data.security \(mostResults)" }
        let position = results.firstIndex { result in
            ["id", "name", "passed"].contains { result[$0] == nil || result[$0]?.isNull == true }
        }
        return position.map {
            "invalid element in data.security at position \($0), id|name|passed must be included"
        }
    }

    // MARK: Members; nil for one of another type, empty for an absent one.

    private static func text(_ name: String, of object: JSONValue) -> String? {
        switch object[name] {
        case nil, .null: ""
        case .string(let text): text
        default: nil
        }
    }

    private static func object(_ name: String, of object: JSONValue) -> JSONValue?? {
        switch object[name] {
        case nil, .null: .some(nil)
        case .object(let members)?: .some(.object(members))
        default: nil
        }
    }

    private static func array(_ name: String, of object: JSONValue) -> [JSONValue]?? {
        switch object[name] {
        case nil, .null: .some(nil)
        case .array(let items)?: .some(items)
        default: nil
        }
    }

    private static func hasTexts(_ object: JSONValue?, _ names: [String]) -> Bool {
        guard let object else { return true }
        return names.allSatisfy { text($0, of: object) != nil }
    }

    private static func hasResults(_ results: [JSONValue]?) -> Bool {
        (results ?? []).allSatisfy { result in
            let passed = result["passed"]
            let isSaid = passed == nil || passed?.isNull == true || passed?.boolean != nil
            return result.isObject && hasTexts(result, ["id", "name"]) && isSaid
        }
    }
}

extension JSONValue {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
    fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}
