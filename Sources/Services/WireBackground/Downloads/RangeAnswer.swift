import WireHTTP

/// A range request, to check its response against.
struct RangeQuestion: Sendable {
    /// The number of present bytes; 0 requests the whole file.
    var offset: Int
    /// The announced size of the file.
    var size: Int?
    /// The validator of the present bytes, for `If-Range`.
    var validator: String?
    var fields: Fields {
        // Compression would change lengths and ranges.
        var fields: Fields = ["Accept": "*/*", "Accept-Encoding": "identity"]
        guard offset > 0 else { return fields }
        fields["Range"] = "bytes=\(offset)-"
        if let validator { fields["If-Range"] = validator }
        return fields
    }
}

/// The meaning of a response for the present bytes.
enum RangeAnswer: Sendable, Hashable {
    /// The body continues the file, and ends at the announced position.
    case body(from: Int, upTo: Int?, size: Int?, validator: String?)
    /// The file is complete.
    case complete
    /// The present bytes belong to another state of the file, or cannot be continued.
    case restart(because: String)
    case elsewhere(String)
    case later(because: String, after: Duration?)
    case never(because: String)

    init(_ status: Status, _ fields: Fields, to question: RangeQuestion) {
        switch status.code {
        case 200: self = Self.whole(fields)
        case 206: self = Self.part(fields, question)
        case 416: self = Self.beyond(fields, question)
        case 301, 302, 303, 307, 308:
            self =
                fields["Location"].map { .elsewhere($0) } ?? .never(because: "redirect \(status.code) without address")
        case _ where status.isTransient:
            self = .later(because: "the server responded with status \(status.shown)", after: Self.pause(fields))
        default: self = .never(because: "the server responded with status \(status.shown)")
        }
    }

    private static func whole(_ fields: Fields) -> RangeAnswer {
        let length = fields["Content-Length"].flatMap { Int(digits: $0) }
        return .body(from: 0, upTo: length, size: length, validator: validator(fields))
    }

    private static func part(_ fields: Fields, _ question: RangeQuestion) -> RangeAnswer {
        guard let range = ContentRange(fields["Content-Range"] ?? ""), let first = range.first, let last = range.last
        else {
            guard question.offset > 0 else {
                return .never(because: "the server sent a part of the file that was not requested")
            }
            return .restart(because: "the server sent a part of the file without its range")
        }
        guard first == question.offset else {
            guard question.offset > 0 else {
                return .never(because: "the server sent a part of the file that was not requested")
            }
            return .restart(
                because: "the server sent the file from byte \(first), expected from byte \(question.offset)"
            )
        }
        if let former = question.validator,
            let now = fields[former.hasPrefix("\"") ? "ETag" : "Last-Modified"], now != former
        {
            return .restart(because: "the file has changed at the server")
        }
        if let former = question.size, let now = range.size, former != now {
            return .restart(because: "the file has \(now) bytes now, and had \(former)")
        }
        // The whole rest was requested: without an announced size, the file ends where the response does.
        let size = range.size ?? question.size ?? last + 1
        guard last < size else { return .restart(because: "the server sent more than the file has") }
        // Some servers send less than requested; the rest is requested afterwards.
        return .body(from: first, upTo: last + 1, size: size, validator: validator(fields) ?? question.validator)
    }

    private static func beyond(_ fields: Fields, _ question: RangeQuestion) -> RangeAnswer {
        guard question.offset > 0 else {
            return .never(because: "the server responded with status \(Status(416).shown)")
        }
        guard let range = ContentRange(fields["Content-Range"] ?? ""), range.first == nil, let size = range.size else {
            return .restart(because: "the server has no such part of the file")
        }
        if size == question.offset, question.size ?? size == size, question.validator != nil { return .complete }
        return .restart(because: "the file has \(size) bytes now, and \(question.offset) are here")
    }

    /// The validator of this exact state: a strong ETag, or an old enough modification time.
    private static func validator(_ fields: Fields) -> String? {
        if let tag = fields["ETag"] {
            if let parsed = EntityTag(parsing: tag), !parsed.isWeak { return parsed.text }
        }
        guard let modified = fields["Last-Modified"], let then = HTTPDate(parsing: modified),
            let date = fields["Date"].flatMap({ HTTPDate(parsing: $0) }), date.seconds - then.seconds >= 1
        else { return nil }
        return modified
    }

    private static func pause(_ fields: Fields) -> Duration? {
        guard let text = fields["Retry-After"] else { return nil }
        if let seconds = Int(digits: text) { return .seconds(min(seconds, 86_400 * 365)) }
        guard let then = HTTPDate(parsing: text), let date = fields["Date"].flatMap({ HTTPDate(parsing: $0) }) else {
            return nil
        }
        return .seconds(max(0, then.seconds - date.seconds))
    }
}

/// `bytes 100-199/1000`, `bytes 100-199/*`, `bytes */1000` (RFC 9110, section 14.4).
struct ContentRange: Sendable, Hashable {
    let first: Int?
    let last: Int?
    let size: Int?

    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let sides = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        if sides[1] == "*" {
            size = nil
        } else {
            guard let number = Int(digits: sides[1]) else { return nil }
            size = number
        }
        if sides[0] == "*" {
            (first, last) = (nil, nil)
            return
        }
        let ends = sides[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let low = Int(digits: ends[0]), let high = Int(digits: ends[1]), low <= high else {
            return nil
        }
        (first, last) = (low, high)
    }
}

extension Int {
    /// Digits alone, the form of numbers in HTTP fields.
    init?(digits text: some StringProtocol) {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.init(text)
    }
}
