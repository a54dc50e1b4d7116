package import WireConfig

/// Reads the JSON objects that tokens and keys are made of.
enum JSONObject {
    /// The one object that some bytes are; no name twice, nothing before it and nothing behind.
    static func read(_ bytes: [UInt8], named name: String) throws(JOSEFailure) -> JSONValue {
        // The reader takes a byte order mark as a sign of UTF-8, which JSON that travels must not have.
        guard !bytes.starts(with: [0xef, 0xbb, 0xbf]) else {
            throw JOSEFailure(.malformed, "\(name) begins with a byte order mark, expected none")
        }
        let value: JSONValue
        do throws(Unreadable) {
            value = try JSONValue(parsing: bytes, named: name, limits: limits)
        } catch {
            // Words of the reader's own alone: its labels and places may hold what was read.
            throw JOSEFailure(.malformed, "\(name) cannot be read as JSON without a name twice")
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
    /// Whether two texts are the same bytes; for Swift two ways to write one character are one.
    package func isExactly(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension JSONValue {
    /// A moment as claims have it (RFC 7519, section 2), in milliseconds since 1970.
    ///
    /// A number, with a fraction or without, from 1970 to the year 9999; nil for everything else.
    package var numericDate: Int64? {
        switch self {
        case .integer(let seconds) where (0...Self.lastSecond).contains(seconds): Int64(seconds) * 1_000
        case .number(let seconds) where (0...Double(Self.lastSecond)).contains(seconds): Int64(seconds * 1_000)
        default: nil
        }
    }

    private static var lastSecond: Int { 253_402_300_799 }

    /// Whom a token is for: `aud` is one text or a list of them (RFC 7519, section 4.1.3); nil for everything else.
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
