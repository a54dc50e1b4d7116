import WireBackends
import WireBase
import WireSecrets

/// What the servers ask of the machine: secrets nobody can guess, signatures, the time.
struct Machine: Sendable {
    let secrecy: any Secrecy
    let signatures: any Signatures
    let clock: Clockwork

    /// Milliseconds since 1970.
    var now: Int64 { clock.wall() }
    /// Seconds since 1970, as tokens count them.
    var seconds: Int { Int(now / 1_000) }

    /// A new secret or name as text: 256 bits where nobody says how many bytes.
    func secret(_ count: Int = 32) throws(Fault) -> String {
        Base64URL.text(of: try secrecy.random(count))
    }

    func digest(_ bytes: [UInt8]) throws(Fault) -> String {
        try secrecy.digest(bytes).hexadecimal
    }

    func digest(_ text: String) throws(Fault) -> String {
        try secrecy.digest(Array(text.utf8)).hexadecimal
    }

    /// Whether two texts are the same, in a time that tells nothing of where they differ.
    func isSame(_ left: String, _ right: String) throws(Fault) -> Bool {
        try secrecy.digest(Array(left.utf8)) == secrecy.digest(Array(right.utf8))
    }

    /// A name nobody else has (RFC 9562, version 4).
    func uuid() throws -> String {
        var bytes = try secrecy.random(16)
        guard bytes.count == 16 else { return try secret(16) }
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = Array(Hexadecimal.text(of: bytes))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
    }

    /// A short name for what is too long, or too odd, to be a key.
    func key(_ text: String) throws -> String { String(try digest(text).prefix(32)) }
}
