package import WireConfig

/// Reads the JSON objects of tokens and keys.
enum JSONObject {
    /// Parses bytes as one JSON object without duplicate names and without surrounding text.
    static func read(_ bytes: [UInt8], named name: String) throws(JOSEFailure) -> JSONValue {
        // The reader accepts a byte order mark, which transmitted JSON must not have.
        guard !bytes.starts(with: [0xef, 0xbb, 0xbf]) else {
            throw JOSEFailure(.malformed, "\(name) begins with a byte order mark, expected none")
        }
        let value: JSONValue
        do throws(Unreadable) {
            value = try JSONValue(parsing: bytes, named: name, limits: limits)
        } catch {
            // A message without the reader's details, which may contain the input.
            throw JOSEFailure(.malformed, "\(name) is not valid JSON, or has duplicate names")
        }
        guard case .object = value else { throw JOSEFailure(.malformed, "\(name) is not a JSON object") }
        return value
    }

    private static let limits: ReadingLimits = {
        var limits = ReadingLimits()
        limits.depth = 16
        limits.nodes = 20_000
        limits.problems = 1
        return limits
    }()
}

extension String {
    /// Whether two texts have the same bytes; Swift treats equivalent Unicode texts as equal.
    package func isExactly(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension JSONValue {
    /// A timestamp of a claim (RFC 7519, section 2), in milliseconds since 1970.
    ///
    /// A number with or without a fraction, from 1970 to the year 9999; otherwise nil.
    package var numericDate: Int64? {
        switch self {
        case .integer(let seconds) where (0...Self.lastSecond).contains(seconds): Int64(seconds) * 1_000
        case .number(let seconds) where (0...Double(Self.lastSecond)).contains(seconds): Int64(seconds * 1_000)
        default: nil
        }
    }

    private static var lastSecond: Int { 253_402_300_799 }

    /// The audience of a token: `aud` is a text or a list of texts (RFC 7519, section 4.1.3); otherwise nil.
    package var audiences: [String]? {
        switch self {
        case .string(let one): return [one]
        case .array(let items):
            let texts = items.compactMap(\.string)
            return texts.count == items.count ? texts : nil
        default: return nil
        }
    }
}
