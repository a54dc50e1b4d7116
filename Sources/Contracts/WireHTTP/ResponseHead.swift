package import WireBase

/// The head of an answer.
package struct ResponseHead: Sendable {
    package let status: Status
    package let fields: Fields
    /// How often the request was sent once more before it.
    package let repeats: Int
    /// Whether the body comes in chunks, which no field tells any more.
    package let isChunked: Bool

    package init(status: Status, fields: Fields, repeats: Int = 0, isChunked: Bool = false) {
        (self.status, self.fields, self.repeats, self.isChunked) = (status, fields, repeats, isChunked)
    }
}

/// Reads the head of an answer line by line, as strictly as RFC 9112 allows.
package struct HeadReader {
    /// What a line brought.
    package enum Event {
        case more
        /// An interim answer has ended (RFC 9110, section 15.2).
        case interim
        case head(ResponseHead)
        /// A line after the head: a trailer, which nobody has asked for.
        case trailer
    }

    private let limit: ByteCount
    private let fieldLimit: Int
    /// The protocol that was asked for in place of HTTP.
    private let upgrade: String?
    /// Interim answers and trailers count with the head, so that neither can go on for ever.
    private var size = 0
    private var fieldCount = 0
    private var status: Int?
    private var fields = Fields()
    package private(set) var isComplete = false

    package init(limit: ByteCount, fieldLimit: Int, upgrade: String? = nil) {
        self.limit = limit
        self.fieldLimit = fieldLimit
        self.upgrade = upgrade
    }

    /// Takes a line with its end.
    package mutating func take(_ raw: UnsafeRawBufferPointer) throws(Fault) -> Event {
        size += raw.count
        guard size <= limit.bytes else { throw Fault("the head is larger than \(limit)") }
        let line = unsafe Self.withoutEnd(raw)
        if isComplete {
            try count()
            return .trailer
        }
        guard let status else {
            self.status = try unsafe Self.status(line)
            return .more
        }
        guard unsafe !line.isEmpty else { return try end(status) }
        try count()
        let (name, value) = try unsafe Self.field(line)
        fields.add(name, value)
        return .more
    }

    /// Begins anew: the same request is answered once more, since the first answer was not for its sender.
    package mutating func startOver() {
        (status, fields, isComplete) = (nil, Fields(), false)
    }

    private mutating func count() throws(Fault) {
        fieldCount += 1
        guard fieldCount <= fieldLimit else { throw Fault("the head has more than \(fieldLimit) fields") }
    }

    private mutating func end(_ status: Int) throws(Fault) -> Event {
        guard status >= 200 else {
            guard status != 101 else { return try endUpgrade() }
            startOver()
            return .interim
        }
        try checkFraming()
        isComplete = true
        let isChunked = fields["Transfer-Encoding"] != nil
        fields["Transfer-Encoding"] = nil
        return .head(ResponseHead(status: Status(status), fields: fields, isChunked: isChunked))
    }

    /// The protocol is another from here on: the one that was asked for, or it is a mistake (RFC 9110, section 15.2.2).
    private mutating func endUpgrade() throws(Fault) -> Event {
        guard let upgrade else { throw Fault("the protocol was switched, which nobody asked for") }
        let names = fields.values(of: "Upgrade")
        guard names.count == 1, names[0].isSameField(as: upgrade) else {
            let found = names.joined(separator: ", ").shown(upTo: 40).quoted
            throw Fault("the protocol was switched to \(found), expected '\(upgrade)'")
        }
        let options = fields.values(of: "Connection").flatMap { $0.split(separator: ",") }
        guard options.contains(where: { String($0.filter { $0 != " " && $0 != "\t" }).isSameField(as: "upgrade") })
        else {
            throw Fault("the protocol was switched without 'Connection: Upgrade'")
        }
        // There is no body whose length there would be to tell.
        guard fields["Content-Length"] == nil, fields["Transfer-Encoding"] == nil else {
            throw Fault("the protocol was switched, with the length of a body")
        }
        isComplete = true
        return .head(ResponseHead(status: .switchingProtocols, fields: fields))
    }

    /// Two lengths are one too many: what follows could be read as another answer (RFC 9112, section 6.3).
    private func checkFraming() throws(Fault) {
        let lengths = fields.values(of: "Content-Length")
        for length in lengths {
            guard length == lengths[0], (1...18).contains(length.utf8.count), length.utf8.allSatisfy(\.isDigit) else {
                throw Fault("the field 'Content-Length' is \(lengths.joined(separator: ", ").quoted)")
            }
        }
        let codings = fields.values(of: "Transfer-Encoding")
        guard codings.isEmpty || (codings.count == 1 && codings[0].isSameField(as: "chunked")) else {
            throw Fault("the field 'Transfer-Encoding' is \(codings.joined(separator: ", ").quoted)")
        }
        guard codings.isEmpty || lengths.isEmpty else {
            throw Fault("there are both 'Content-Length' and 'Transfer-Encoding'")
        }
    }

    // MARK: Lines

    private static func withoutEnd(_ raw: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = raw.count
        if count > 0, unsafe raw[count - 1] == 0x0a { count -= 1 }
        if count > 0, unsafe raw[count - 1] == 0x0d { count -= 1 }
        return unsafe UnsafeRawBufferPointer(rebasing: raw[..<count])
    }

    /// `HTTP/1.1 200 OK`.
    private static func status(_ line: UnsafeRawBufferPointer) throws(Fault) -> Int {
        let parts = unsafe line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard unsafe parts.count >= 2, unsafe parts[0].starts(with: "HTTP/".utf8), unsafe parts[1].count == 3,
            unsafe parts[1].allSatisfy(\.isDigit)
        else { throw Fault("the status line is \(unsafe text(line).quoted)") }
        let code = unsafe parts[1].reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard (100...599).contains(code) else { throw Fault("the status is \(code)") }
        return code
    }

    private static func field(_ line: UnsafeRawBufferPointer) throws(Fault) -> (String, String) {
        guard let colon = unsafe line.firstIndex(of: 0x3a), colon > 0,
            unsafe line[..<colon].allSatisfy(\.isTokenCharacter)
        else { throw Fault("a field has no valid name") }
        var value = unsafe line[(colon + 1)...]
        while let first = unsafe value.first, first == 0x20 || first == 0x09 { unsafe value = value.dropFirst() }
        while let last = unsafe value.last, last == 0x20 || last == 0x09 { unsafe value = value.dropLast() }
        let name = unsafe text(UnsafeRawBufferPointer(rebasing: line[..<colon]))
        guard unsafe value.allSatisfy(\.isFieldCharacter) else {
            throw Fault("the field \(name.quoted) holds a control character")
        }
        return (name, unsafe text(UnsafeRawBufferPointer(rebasing: value)))
    }

    /// UTF-8 where it is, else every byte the character of that number, so that nothing is lost.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        if let text = unsafe String(validating: bytes, as: UTF8.self) { return text }
        return unsafe String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
