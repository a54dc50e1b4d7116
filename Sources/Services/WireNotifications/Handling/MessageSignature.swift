import WireBase
import WireSecrets

/// Authenticates posts to a server: HMAC-SHA256 (RFC 2104) over the time and the body.
struct MessageSignature {
    private let secrecy: any CryptoProvider

    init(_ secrecy: any CryptoProvider) { self.secrecy = secrecy }

    /// The header field `t=1700000000,v1=…`: the time in seconds, and the code of the time, a point and the body.
    func field(_ body: [UInt8], at milliseconds: Int64, key: Secret<String>) throws(Fault) -> String {
        let time = "\(milliseconds / 1_000)"
        let code = try secrecy.code(of: Array("\(time).".utf8) + body, key: Array(key.reveal().utf8))
        return "t=\(time),v1=\(Hexadecimal.text(of: code))"
    }
}
