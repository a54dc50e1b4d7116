import WireConfig
import WireHTTP
import WirePushContract

/// Encodes an event as a form for Altcraft's pixel.
extension MobileEvent {
    /// Decodes a stored event; nil for bytes of another form.
    init?(kept bytes: [UInt8]) {
        guard let event = try? MobileEvent(parsing: bytes, named: "event", toleratesUnknown: true) else { return nil }
        self = event
    }

    /// The body of the form, its parts in the order of the SDKs (RFC 7578).
    func body(_ boundary: String, seconds: Int, minutesAhead: Int, matching claimed: JSONValue?) -> [UInt8] {
        let texts: [(String, String?)] = [
            // Minutes west of UTC, as in JavaScript.
            ("tz", "\(-minutesAhead)"), ("t", "\(seconds)"), ("aci", clientID), ("wn", name),
            ("mm", matchingType ?? claimed?["matching"]?.string), ("cn", utm.campaign), ("cc", utm.content),
            ("ck", utm.keyword), ("cm", utm.medium), ("cs", utm.source), ("ct", utm.temp),
        ]
        let values: [(String, JSONValue?)] = [
            ("wd", payload), ("mi", push.map(JSONValue.string)), ("ma", matching ?? claimed), ("sn", subscription),
            ("pf", profileFields),
        ]
        var form = ""
        for case (let name, let text?) in texts {
            form += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n"
        }
        for case (let name, let value?) in values {
            form += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n"
            form += "Content-Type: application/json\r\n\r\n\(value.text())\r\n"
        }
        return Array("\(form)--\(boundary)--\r\n".utf8)
    }
}
