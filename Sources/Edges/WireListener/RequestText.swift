import Glibc
import WireHTTP

/// The raw head of a request in the library's memory, used to find where each part begins.
///
/// The library replaces the separator after each part with NUL. If parts are not exactly one separator apart, the
/// library has skipped something: a NUL, a line without CR, a folded line. Two parsers may read such a head
/// differently, which permits request smuggling, so the head is refused.
@safe struct RequestText {
    let method: String
    /// Whether method and version begin and end a line of the text.
    private let isWhole: Bool
    private let firstField: UnsafeRawPointer
    private let end: UnsafeRawPointer
    private let exchange: MHDConnection
    let isHTTP10: Bool
    let headSize: Int
    let targetSize: Int

    init(
        _ exchange: MHDConnection,
        method: UnsafePointer<CChar>,
        target: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>
    ) {
        let size = exchange.headSize
        let methodLength = unsafe strlen(method)
        let versionLength = unsafe strlen(version)
        self.exchange = exchange
        self.method = unsafe String(cString: method)
        unsafe firstField = UnsafeRawPointer(version) + versionLength + 2
        unsafe end = UnsafeRawPointer(method) + size - 2
        headSize = size
        targetSize = unsafe UnsafeRawPointer(version) - UnsafeRawPointer(target) - 1
        isWhole =
            unsafe UnsafeRawPointer(target) - UnsafeRawPointer(method) == methodLength + 1 && versionLength == 8
        isHTTP10 = unsafe strcmp(version, "HTTP/1.0") == 0
    }

    /// Reads the fields, or throws the flaw of the head.
    func read(target: String?) throws(AmbiguousHead) -> HeadFields {
        guard isWhole, let target, target.utf8.count == targetSize else { throw .requestLine }
        guard method.utf8.allSatisfy(\.isTokenByte) else { throw .requestLine }
        var reader = unsafe FieldReader(from: firstField, isHTTP10: isHTTP10)
        exchange.forEachField(&reader)
        if let flaw = reader.flaw { throw flaw }
        guard unsafe reader.next == end else { throw .separator }
        return try reader.fields()
    }
}

/// A flaw by which two parsers could read a head differently.
enum AmbiguousHead: Error {
    case requestLine, separator, fieldName, fieldValue, host, contentLength, transferEncoding, bothLengths

    var detail: String {
        switch self {
        case .requestLine: "the request line is not 'method target HTTP/1.1' with one space between them"
        case .separator: "a line of the head has a NUL, has no CR LF at its end, or is folded"
        case .fieldName: "the name of a field is empty or has an invalid character"
        case .fieldValue: "the value of a field has a control character or is not text"
        case .host: "expected exactly one 'Host' field"
        case .contentLength: "expected one 'Content-Length' field at most, a number"
        case .transferEncoding: "the only supported transfer encoding is 'chunked', in HTTP/1.1"
        case .bothLengths: "'Content-Length' and 'Transfer-Encoding' contradict each other"
        }
    }
}

/// The fields of a request, and their statements about the body.
struct HeadFields {
    var fields = Fields()
    var contentLength: Int?
    var isChunked = false
    var isHTTP10 = false
    var expectsContinue = false

    var hasBody: Bool { isChunked || (contentLength ?? 0) > 0 }
}

/// Reads the fields from the library one by one.
@safe struct FieldReader {
    /// The expected start of the next field.
    private(set) var next: UnsafeRawPointer
    private(set) var flaw: AmbiguousHead?
    private var head = HeadFields()
    private var hosts = 0
    private var hasLength = false
    private let isHTTP10: Bool

    init(from start: UnsafeRawPointer, isHTTP10: Bool) {
        unsafe next = start
        self.isHTTP10 = isHTTP10
    }

    mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard flaw == nil, let start = name.baseAddress, let valueStart = value.baseAddress else { return }
        guard unsafe start == next else { return flaw = .separator }
        unsafe next = valueStart + value.count + 2
        guard unsafe !name.isEmpty && name.allSatisfy(\.isTokenByte) else { return flaw = .fieldName }
        var end = value.count
        while end > 0, unsafe value[end - 1] == 0x20 || value[end - 1] == 0x09 { end -= 1 }
        let trimmed = unsafe UnsafeRawBufferPointer(rebasing: value[..<end])
        guard unsafe trimmed.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }),
            let text = unsafe String(validating: trimmed, as: UTF8.self)
        else { return flaw = .fieldValue }
        let field = unsafe String(decoding: name, as: UTF8.self)
        note(field, text)
        // HTTP/1.0 has no upgrade (RFC 9110, section 7.8).
        if isHTTP10, field.isSameField(as: "Upgrade") { return }
        head.fields.add(field, text)
    }

    /// Records the fields that determine the length and the host of the request.
    private mutating func note(_ name: String, _ value: String) {
        switch name.utf8.count {
        case 4 where name.isSameField(as: "Host"):
            hosts += 1
        case 6 where name.isSameField(as: "Expect"):
            head.expectsContinue = value.isSameField(as: "100-continue")
        case 14 where name.isSameField(as: "Content-Length"):
            guard !hasLength, (1...18).contains(value.utf8.count),
                value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(value)
            else { return flaw = .contentLength }
            hasLength = true
            head.contentLength = length
        case 17 where name.isSameField(as: "Transfer-Encoding"):
            guard !head.isChunked, value.isSameField(as: "chunked") else { return flaw = .transferEncoding }
            head.isChunked = true
        default: break
        }
    }

    func fields() throws(AmbiguousHead) -> HeadFields {
        guard hosts == 1 || (isHTTP10 && hosts == 0) else { throw .host }
        guard !(head.isChunked && hasLength) else { throw .bothLengths }
        guard !(head.isChunked && isHTTP10) else { throw .transferEncoding }
        var head = head
        head.isHTTP10 = isHTTP10
        return head
    }
}
