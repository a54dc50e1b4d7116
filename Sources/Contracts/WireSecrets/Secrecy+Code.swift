package import WireBase

extension CryptoProvider {
    /// A message authentication code: HMAC-SHA256 (RFC 2104).
    package func code(of message: [UInt8], key: [UInt8]) throws(Fault) -> [UInt8] {
        let size = 64
        var block = key.count > size ? try digest(key).bytes : key
        block += [UInt8](repeating: 0, count: size - block.count)
        let inner = try digest(block.map { $0 ^ 0x36 } + message).bytes
        return try digest(block.map { $0 ^ 0x5c } + inner).bytes
    }
}
