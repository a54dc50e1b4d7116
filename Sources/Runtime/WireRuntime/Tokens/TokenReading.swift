import WireBase
import WireConfig
import WireService

/// Parses the contents of files, variables and program output as tokens.
enum TokenReading {
    /// The size limit; longer input is not a token.
    static let limit = ByteCount.kibibytes(64)

    /// Parses one word with optional surrounding white space.
    static func token(_ bytes: [UInt8]) throws(Fault) -> String {
        // Works on bytes, because Swift treats CR LF as one character.
        let isSpace: (UInt8) -> Bool = { " \t\r\n".utf8.contains($0) }
        let word = bytes.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        guard let token = String(validating: word, as: UTF8.self) else { throw Fault("it is not UTF-8 text") }
        guard !token.isEmpty else { throw Fault("it is empty") }
        // Tokens in header fields are visible ASCII (RFC 6750, section 2.1, but less strict).
        guard token.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Fault("it is not a token: it contains white space or other invalid characters")
        }
        return token
    }

    /// Parses a bare token, or JSON with a lifetime as printed by credential helpers.
    static func printed(_ bytes: [UInt8], now: Int64, otherwise lifetime: Duration) throws(Fault) -> SuppliedToken {
        let isJSON = bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
        guard isJSON else {
            let token = try token(bytes)
            return SuppliedToken(Secret(token), expires: end(of: token) ?? now + lifetime.milliseconds)
        }
        guard let json = try? JSONValue(parsing: bytes, named: "output") else { throw Fault("it is not valid JSON") }
        guard let text = (json["token"] ?? json["access_token"])?.string else {
            throw Fault("its JSON has no member 'token'")
        }
        let token = try token(Array(text.utf8))
        let seconds = (json["expiresIn"] ?? json["expires_in"])?.integer
        if let seconds, !(1...315_360_000).contains(seconds) {
            throw Fault("'expiresIn' is \(seconds), expected seconds from 1")
        }
        let told = seconds.map { now + Int64($0) * 1_000 }
        return SuppliedToken(Secret(token), expires: told ?? end(of: token) ?? now + lifetime.milliseconds)
    }

    /// The expiry of a JWT in milliseconds since 1970; nil for other tokens.
    ///
    /// The signature is not verified here; that is up to the recipient of the token.
    static func end(of token: String) -> Int64? {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = decoded(parts[1]),
            let claims = try? JSONValue(parsing: bytes, named: "token"), let seconds = claims["exp"]?.integer,
            (0...253_402_300_799).contains(seconds)
        else { return nil }
        return Int64(seconds) * 1_000
    }

    private static func decoded(_ part: Substring) -> [UInt8]? {
        var bits: UInt32 = 0
        var count = 0
        var bytes: [UInt8] = []
        for byte in part.utf8 {
            let value: UInt32
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(byte) - 65
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(byte) - 71
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte) + 4
            case UInt8(ascii: "-"): value = 62
            case UInt8(ascii: "_"): value = 63
            default: return nil
            }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }
}
