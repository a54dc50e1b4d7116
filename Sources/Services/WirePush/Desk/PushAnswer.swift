import WireConfig
import WireHTTP

/// What a platform answers beside the status: an `error` in JSON; HTML and nothing at all are none.
struct PushAnswer {
    let json: JSONValue

    init?(_ body: [UInt8]) {
        guard body.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{"),
            let json = try? JSONValue(parsing: body, named: "answer"), json.members != nil
        else { return nil }
        self.json = json
    }

    /// What it says against a request that it has taken all the same.
    var complaint: String? {
        guard let code = json["error"]?.integer, code != 0 else { return nil }
        return "error \(code)"
    }
}
