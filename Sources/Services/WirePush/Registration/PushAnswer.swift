import WireConfig
import WireHTTP

/// The body of a platform's response: an `error` in JSON, or nothing in HTML and an empty body.
struct PushAnswer {
    let json: JSONValue

    init?(_ body: [UInt8]) {
        guard body.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{"),
            let json = try? JSONValue(parsing: body, named: "answer"), json.members != nil
        else { return nil }
        self.json = json
    }

    /// The error of a response whose status reports success.
    var complaint: String? {
        guard let code = json["error"]?.integer, code != 0 else { return nil }
        return "error \(code)"
    }
}
