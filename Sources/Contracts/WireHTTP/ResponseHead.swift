package import WireBase

/// The head of a response.
package struct ResponseHead: Sendable {
    package let status: Status
    package let fields: Fields
    /// How many times the request was repeated before this response.
    package let repeats: Int
    /// Whether the body is chunked; the framing fields have been removed.
    package let isChunked: Bool

    package init(status: Status, fields: Fields, repeats: Int = 0, isChunked: Bool = false) {
        (self.status, self.fields, self.repeats, self.isChunked) = (status, fields, repeats, isChunked)
    }
}

/// Parses the head of a response line by line, as strictly as RFC 9112 allows.
package struct HeadReader {
    /// The result of reading one line.
    package enum Event {
        case more
        /// An interim response has ended (RFC 9110, section 15.2).
        case interim
        case head(ResponseHead)
        /// A line after the head: a trailer field, which is ignored.
        case trailer
    }

    private let limit: ByteCount
    private let fieldLimit: Int
    /// The protocol requested in an upgrade.
    private let upgrade: String?
    /// The bytes read so far; interim responses and trailers count, so that their number is bounded.
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

    /// Reads one line including its line end.
    package mutating func consume(_ raw: UnsafeRawBufferPointer) throws(Fault) -> Event {
        size += raw.count
        guard size <= limit.bytes else { throw Fault("the response head is larger than \(limit)") }
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

    /// Resets the reader when the same request is sent again, for example with credentials for a proxy.
    package mutating func startOver() {
        (status, fields, isComplete) = (nil, Fields(), false)
    }

    private mutating func count() throws(Fault) {
        fieldCount += 1
        guard fieldCount <= fieldLimit else { throw Fault("the response head has more than \(fieldLimit) fields") }
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

    /// Checks a 101 response: it must switch to the requested protocol (RFC 9110, section 15.2.2).
    private mutating func endUpgrade() throws(Fault) -> Event {
        guard let upgrade else { throw Fault("the server switched the protocol without a request to do so") }
        let names = fields.values(of: "Upgrade")
        guard names.count == 1, names[0].isSameField(as: upgrade) else {
            let found = names.joined(separator: ", ").shown(upTo: 40).quoted
            throw Fault("the server switched to the protocol \(found), expected '\(upgrade)'")
        }
        let options = fields.values(of: "Connection").flatMap { $0.split(separator: ",") }
        guard options.contains(where: { String($0.filter { $0 != " " && $0 != "\t" }).isSameField(as: "upgrade") })
        else {
            throw Fault("the server switched the protocol without 'Connection: Upgrade'")
        }
        // A 101 response has no body, so it must not declare a length.
        guard fields["Content-Length"] == nil, fields["Transfer-Encoding"] == nil else {
            throw Fault("the server switched the protocol and declared the length of a body")
        }
        isComplete = true
        return .head(ResponseHead(status: .switchingProtocols, fields: fields))
    }

    /// Rejects ambiguous lengths, which allow response smuggling (RFC 9112, section 6.3).
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

    // MARK: Parsing lines

    private static func withoutEnd(_ raw: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = raw.count
        if count > 0, unsafe raw[count - 1] == 0x0a { count -= 1 }
        if count > 0, unsafe raw[count - 1] == 0x0d { count -= 1 }
        return unsafe UnsafeRawBufferPointer(rebasing: raw[..<count])
    }

    /// Parses a status line such as `HTTP/1.1 200 OK`.
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
        else { throw Fault("a field name is invalid") }
        var value = unsafe line[(colon + 1)...]
        while let first = unsafe value.first, first == 0x20 || first == 0x09 { unsafe value = value.dropFirst() }
        while let last = unsafe value.last, last == 0x20 || last == 0x09 { unsafe value = value.dropLast() }
        let name = unsafe text(UnsafeRawBufferPointer(rebasing: line[..<colon]))
        guard unsafe value.allSatisfy(\.isFieldCharacter) else {
            throw Fault("the field \(name.quoted) contains a control character")
        }
        return (name, unsafe text(UnsafeRawBufferPointer(rebasing: value)))
    }

    /// Decodes UTF-8, or Latin-1 where the bytes are not UTF-8, so that nothing is lost.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        if let text = unsafe String(validating: bytes, as: UTF8.self) { return text }
        return unsafe String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
