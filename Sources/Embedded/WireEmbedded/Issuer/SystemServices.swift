import WireBackends
import WireBase
import WireSecrets

/// The machine's functions for the servers: secrets, signatures, time.
struct SystemServices: Sendable {
    let secrecy: any CryptoProvider
    let signatures: any Signatures
    let clock: TimeSource

    /// Milliseconds since 1970.
    var now: Int64 { clock.wall() }
    /// Seconds since 1970, as tokens count them.
    var seconds: Int { Int(now / 1_000) }

    /// Returns a new random secret or name as text, of 256 bits unless `count` says otherwise.
    func secret(_ count: Int = 32) throws(Fault) -> String {
        Base64URL.text(of: try secrecy.random(count))
    }

    func digest(_ bytes: [UInt8]) throws(Fault) -> String {
        try secrecy.digest(bytes).hexadecimal
    }

    func digest(_ text: String) throws(Fault) -> String {
        try secrecy.digest(Array(text.utf8)).hexadecimal
    }

    /// Whether two texts are equal, compared in constant time.
    func isSame(_ left: String, _ right: String) throws(Fault) -> Bool {
        try secrecy.digest(Array(left.utf8)) == secrecy.digest(Array(right.utf8))
    }

    /// Returns a random UUID (RFC 9562, version 4).
    func uuid() throws -> String {
        var bytes = try secrecy.random(16)
        guard bytes.count == 16 else { return try secret(16) }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Array(Hexadecimal.text(of: bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// Returns a short key for a text that is too long or has unsuitable characters.
    func key(_ text: String) throws -> String { String(try digest(text).prefix(32)) }
}
