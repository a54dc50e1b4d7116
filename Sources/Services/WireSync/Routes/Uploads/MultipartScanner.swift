import WireHTTP

/// Takes the parts of a `multipart/form-data` body apart as its bytes come (RFC 7578, RFC 2046).
struct MultipartScanner: Sendable {
    enum Event: Sendable {
        /// A part begins; its name.
        case part(String)
        case content(ArraySlice<UInt8>)
        /// The part has ended; the place of the next boundary, counted from the beginning of the body.
        case ended(next: Int)
        /// The last part was the last.
        case finished
    }

    private enum State {
        case preamble, boundary, head, content, over
    }

    private let delimiter: [UInt8]
    private var state = State.preamble
    private var buffer: [UInt8] = []
    /// The place of the buffer in the body.
    private var place = 0

    private static let longestHead = 8_192

    /// Nil for a boundary that RFC 2046 does not allow.
    init?(boundary: String) {
        guard (1...70).contains(boundary.utf8.count), boundary.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        delimiter = Array("\r\n--\(boundary)".utf8)
        // The first boundary may have no line before it.
        buffer = [13, 10]
        place = -2
    }

    var isFinished: Bool { state == .over }

    /// What is complete with these bytes.
    mutating func take(_ bytes: [UInt8]) throws(MalformedForm) -> [Event] {
        var events: [Event] = []
        buffer += bytes
        var start = 0
        while try step(&start, &events) {}
        buffer.removeFirst(start)
        place += start
        return events
    }

    /// Moves on in the buffer; false where more bytes are needed.
    private mutating func step(_ start: inout Int, _ events: inout [Event]) throws(MalformedForm) -> Bool {
        switch state {
        case .preamble, .content:
            let (found, safe) = find(from: start)
            if state == .content, safe > start { events.append(.content(buffer[start..<safe])) }
            start = safe
            guard found else { return false }
            if state == .content { events.append(.ended(next: place + start + 2)) }
            start += delimiter.count
            state = .boundary
            return true
        case .boundary: return try boundary(&start, &events)
        case .head: return try head(&start, &events)
        case .over:
            start = buffer.count
            return false
        }
    }

    /// Where the next delimiter begins, or up to where there is certainly none.
    private func find(from start: Int) -> (found: Bool, place: Int) {
        var place = start
        while let index = buffer[place...].firstIndex(of: 13) {
            let rest = buffer.count - index
            guard rest >= delimiter.count else {
                guard buffer[index...].elementsEqual(delimiter.prefix(rest)) else {
                    place = index + 1
                    continue
                }
                return (false, index)
            }
            if buffer[index..<index + delimiter.count].elementsEqual(delimiter) { return (true, index) }
            place = index + 1
        }
        return (false, buffer.count)
    }

    private mutating func boundary(_ start: inout Int, _ events: inout [Event]) throws(MalformedForm) -> Bool {
        guard buffer.count - start >= 2 else { return false }
        switch (buffer[start], buffer[start + 1]) {
        case (45, 45):
            state = .over
            events.append(.finished)
        case (13, 10): state = .head
        default: throw MalformedForm("a boundary is followed by something else")
        }
        start += 2
        return true
    }

    private mutating func head(_ start: inout Int, _ events: inout [Event]) throws(MalformedForm) -> Bool {
        let end: [UInt8] = [13, 10, 13, 10]
        var index = start
        while index + 4 <= buffer.count, index - start <= Self.longestHead {
            if buffer[index] == 13, buffer[index..<index + 4].elementsEqual(end) {
                events.append(.part(try Self.name(buffer[start..<index])))
                (start, state) = (index + 4, .content)
                return true
            }
            index += 1
        }
        guard buffer.count - start <= Self.longestHead else { throw MalformedForm("the head of a part is too long") }
        return false
    }

    /// The name that the head of a part gives it.
    private static func name(_ head: ArraySlice<UInt8>) throws(MalformedForm) -> String {
        for line in head.split(separator: 10) {
            let text = String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
            let pair = text.split(separator: ":", maxSplits: 1)
            guard pair.count == 2, pair[0].lowercased() == "content-disposition" else { continue }
            // A disposition has the form of a media type without a subtype.
            let value = String(pair[1].drop { $0 == " " })
            guard let type = MediaType(parsing: value.replacing("form-data", with: "form/data", maxReplacements: 1)),
                type.essence == "form/data", let name = type.parameters["name"]
            else { break }
            return name
        }
        throw MalformedForm("a part has no name")
    }
}

/// Why a form is none of the GraphQL multipart request specification.
struct MalformedForm: Error, Sendable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
