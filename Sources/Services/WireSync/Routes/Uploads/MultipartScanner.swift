import WireBase

/// Splits a `multipart/form-data` body into parts as its bytes arrive (RFC 7578, RFC 2046).
struct MultipartScanner: Sendable {
    enum Event: Sendable {
        /// A part begins.
        case part(FormPart)
        case content(ArraySlice<UInt8>)
        case ended
        /// The form is complete.
        case finished
    }

    private enum State {
        case preamble, boundary, head, content, over
    }

    private let delimiter: [UInt8]
    private var state = State.preamble
    private var buffer: [UInt8]
    /// The number of bytes after the last boundary.
    private var epilogue = 0

    private static let longestHead = 8_192
    private static let longestEpilogue = 1_024

    /// Nil for a boundary that RFC 2046 does not allow.
    init?(boundary: String) {
        guard (1...70).contains(boundary.utf8.count), boundary.utf8.allSatisfy(Self.mayBeInBoundary) else { return nil }
        delimiter = Array("\r\n--\(boundary)".utf8)
        // No line is required before the first boundary.
        buffer = [13, 10]
    }

    /// Blanks are rejected: servers differ in their interpretation.
    private static func mayBeInBoundary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "'()+_,-./:=?".utf8.contains(byte)
        }
    }

    var isFinished: Bool { state == .over }

    /// Returns the events that these bytes complete.
    mutating func consume(_ bytes: [UInt8]) throws(Fault) -> [Event] {
        var events: [Event] = []
        buffer += bytes
        var start = 0
        while try step(&start, &events) {}
        buffer.removeFirst(start)
        return events
    }

    /// Advances in the buffer; false where more bytes are needed.
    private mutating func step(_ start: inout Int, _ events: inout [Event]) throws(Fault) -> Bool {
        switch state {
        case .preamble, .content:
            let (found, safe) = find(from: start)
            if state == .content, safe > start { events.append(.content(buffer[start..<safe])) }
            start = safe
            guard found else { return false }
            if state == .content { events.append(.ended) }
            start += delimiter.count
            state = .boundary
            return true
        case .boundary: return try boundary(&start, &events)
        case .head: return try head(&start, &events)
        case .over:
            epilogue += buffer.count - start
            guard epilogue <= Self.longestEpilogue else { throw Fault("the form has data after its end") }
            start = buffer.count
            return false
        }
    }

    /// The start of the next delimiter, or the end of the part without one.
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

    private mutating func boundary(_ start: inout Int, _ events: inout [Event]) throws(Fault) -> Bool {
        guard buffer.count - start >= 2 else { return false }
        switch (buffer[start], buffer[start + 1]) {
        case (45, 45):
            state = .over
            events.append(.finished)
        case (13, 10): state = .head
        default: throw Fault("unexpected data after a boundary")
        }
        start += 2
        return true
    }

    private mutating func head(_ start: inout Int, _ events: inout [Event]) throws(Fault) -> Bool {
        let end: [UInt8] = [13, 10, 13, 10]
        var index = start
        while index + 4 <= buffer.count, index - start <= Self.longestHead {
            if buffer[index] == 13, buffer[index..<index + 4].elementsEqual(end) {
                events.append(.part(try FormPart(parsing: buffer[start..<index])))
                (start, state) = (index + 4, .content)
                return true
            }
            index += 1
        }
        guard buffer.count - start <= Self.longestHead else { throw Fault("the head of a part is too long") }
        return false
    }
}
