import WireHTTP

/// The `Cache-Control` directives of a request or a response (RFC 9111, section 5.2).
///
/// Unknown directives are ignored, and malformed ones are read in their strictest meaning.
struct CacheDirectives: Sendable, Equatable {
    /// A number of seconds.
    enum Seconds: Sendable, Equatable {
        case count(Int64)
        /// The value is missing, or two values differ.
        case unclear

        /// The value where a small number is the safe one.
        var atMost: Int64 {
            switch self {
            case .count(let count): count
            case .unclear: 0
            }
        }
    }

    /// The staleness that a request accepts.
    enum Staleness: Sendable, Equatable {
        case any
        case upTo(Int64)
    }

    private(set) var isEmpty = true
    private(set) var noStore = false
    /// Whether the response must be validated before each use.
    private(set) var noCache = false
    /// The fields that must be validated before each use.
    private(set) var noCacheFields: [String] = []
    private(set) var mustRevalidate = false
    private(set) var mustUnderstand = false
    private(set) var isPublic = false
    private(set) var isPrivate = false
    private(set) var onlyIfCached = false
    private(set) var maxAge: Seconds?
    private(set) var minFresh: Seconds?
    private(set) var maxStale: Staleness?
    private(set) var staleIfError: Seconds?

    init(_ values: [String]) {
        for value in values {
            for member in FieldList(value) {
                isEmpty = false
                take(member)
            }
        }
    }

    /// The directives of a request, or HTTP/1.0's `Pragma` where there are none (RFC 9111, section 5.4).
    init(request fields: Fields) {
        self.init(fields.values(of: "Cache-Control"))
        guard isEmpty else { return }
        for value in fields.values(of: "Pragma") {
            for member in FieldList(value) where member.lowercased() == "no-cache" { noCache = true }
        }
    }

    private mutating func take(_ member: Substring) {
        let bytes = member.utf8
        let equals = bytes.firstIndex(of: UInt8(ascii: "="))
        let name = Substring(bytes[..<(equals ?? bytes.endIndex)].trimmed).lowercased()
        let argument = equals.map { Self.unquoted(bytes[bytes.index(after: $0)...].trimmed) }
        switch name {
        case "no-store": noStore = true
        case "no-cache":
            // With field names, the directive applies to those alone.
            if let argument, !argument.isEmpty {
                noCacheFields += FieldList(argument).map { $0.lowercased() }
            } else {
                noCache = true
            }
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "only-if-cached": onlyIfCached = true
        case "max-age": Self.set(&maxAge, argument)
        case "min-fresh": Self.set(&minFresh, argument)
        case "stale-if-error": Self.set(&staleIfError, argument)
        case "max-stale":
            guard let argument else {
                maxStale = maxStale ?? .any
                break
            }
            // A malformed value allows nothing.
            maxStale = .upTo(Self.seconds(argument).atMost)
        default: break
        }
    }

    private static func set(_ value: inout Seconds?, _ argument: String?) {
        let new = argument.map(seconds) ?? .unclear
        value = value == nil || value == new ? new : .unclear
    }

    /// Seconds by RFC 9111, section 1.2.2: digits; too large values are clamped.
    static func seconds(_ text: some StringProtocol) -> Seconds {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .unclear }
        return .count(min(Int64(text) ?? longest, longest))
    }

    static let longest: Int64 = 1 << 31

    /// The content of a quoted string without escapes; other text unchanged.
    private static func unquoted(_ bytes: Substring.UTF8View) -> String {
        guard bytes.first == UInt8(ascii: "\"") else { return String(Substring(bytes)) }
        var inside: [UInt8] = []
        var isEscaped = false
        for byte in bytes.dropFirst() {
            if isEscaped {
                inside.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                break
            } else {
                inside.append(byte)
            }
        }
        return String(validating: inside, as: UTF8.self) ?? ""
    }
}
