import WireBase
import WireHTTP

/// Parses a response incrementally: the head, then the body (RFC 9112, sections 6 and 7).
struct AnswerParser: Sendable {
    private enum State {
        case head
        /// The remaining bytes of the body or of a chunk.
        case content(left: Int, isChunk: Bool)
        case chunkSize, chunkEnd, trailers
        /// The body ends with the connection.
        case untilEnd
        case done
    }

    private static let head = ByteCount.kibibytes(64)
    private static let chunkSize = ByteCount.kibibytes(1)

    private var state = State.head
    private var lines = HeadReader(limit: head, fieldLimit: 256)
    /// The incomplete line.
    private var line: [UInt8] = []
    private var isAtStart = true
    private let hasNoBody: Bool
    /// The head of the final response, once received.
    private(set) var answer: ResponseHead?

    init(to method: Method) {
        hasNoBody = method == .head
    }

    /// Whether the response is complete.
    var isDone: Bool { if case .done = state { true } else { false } }

    /// Whether the connection may end now.
    var mayEnd: Bool { if case .untilEnd = state { true } else { isDone } }

    /// Parses bytes and returns those of the body; bytes after the response are ignored.
    mutating func consume(_ bytes: [UInt8]) throws(Fault) -> [UInt8] {
        var rest = bytes[...]
        var content: [UInt8] = []
        while !rest.isEmpty {
            switch state {
            case .done: return content
            case .untilEnd: return content + rest
            case .content(let left, let isChunk):
                let part = rest.prefix(left)
                content += part
                rest = rest.dropFirst(part.count)
                state = Self.content(left: left - part.count, isChunk: isChunk)
            case .head, .chunkSize, .chunkEnd, .trailers:
                if let line = try nextLine(&rest) { try consume(line: line) }
            }
        }
        return content
    }

    private static func content(left: Int, isChunk: Bool) -> State {
        left > 0 ? .content(left: left, isChunk: isChunk) : isChunk ? .chunkEnd : .done
    }

    // MARK: Lines

    /// A complete line with its end, or nil.
    private mutating func nextLine(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> [UInt8]? {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        line += rest[..<(end.map { $0 + 1 } ?? rest.endIndex)]
        rest = end.map { rest[($0 + 1)...] } ?? []
        try checkStart()
        let limit = if case .chunkSize = state { Self.chunkSize } else { Self.head }
        guard line.count <= limit.bytes else { throw Fault("a line exceeds \(limit)") }
        guard end != nil else { return nil }
        defer { line = [] }
        return line
    }

    /// Detects other protocols, which may have no lines.
    private func checkStart() throws(Fault) {
        guard isAtStart, !line.prefix(7).elementsEqual("HTTP/1.".utf8.prefix(line.count)) else { return }
        throw Fault("the response is not HTTP")
    }

    private mutating func consume(line: [UInt8]) throws(Fault) {
        switch state {
        case .head:
            isAtStart = false
            switch try read(line) {
            case .head(let head): begin(head)
            case .interim: isAtStart = true
            case .more, .trailer: break
            }
        case .chunkSize:
            let size = try Self.size(of: line)
            state = size == 0 ? .trailers : .content(left: size, isChunk: true)
        case .chunkEnd:
            guard line.elementsEqual("\r\n".utf8) else {
                throw Fault("a chunk is longer than its size")
            }
            state = .chunkSize
        case .trailers where line.elementsEqual("\r\n".utf8): state = .done
        // Trailers count towards the limit and are ignored.
        case .trailers: _ = try read(line)
        case .content, .untilEnd, .done: break
        }
    }

    private mutating func read(_ line: [UInt8]) throws(Fault) -> HeadReader.Event {
        try unsafe line.span.bytes.withUnsafeBytes { (bytes) throws(Fault) in
            try unsafe lines.consume(bytes)
        }
    }

    /// The head's parser has checked that there is one length or one coding.
    private mutating func begin(_ head: ResponseHead) {
        answer = head
        if hasNoBody || head.status == .noContent || head.status == .notModified {
            state = .done
        } else if head.isChunked {
            state = .chunkSize
        } else if let length = head.fields["Content-Length"].flatMap({ Int($0) }) {
            state = Self.content(left: length, isChunk: false)
        } else {
            state = .untilEnd
        }
    }

    /// `1a4` or `1a4;name=value`; extensions are ignored (RFC 9112, section 7.1).
    private static func size(of line: [UInt8]) throws(Fault) -> Int {
        let digits = line.prefix(while: \.isHexDigit)
        let end = line.dropFirst(digits.count)
        guard (1...15).contains(digits.count), end.suffix(2).elementsEqual("\r\n".utf8),
            end.count == 2 || end.first == UInt8(ascii: ";"),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw Fault("the size of a chunk is invalid") }
        return size
    }
}
