import COpenSSL
package import WireBase
import WireSecrets

/// scrypt by OpenSSL, stored as `$scrypt$ln=15,r=8,p=3$salt$hash` with salt and hash in base64 without padding.
package struct OpenSSLSlowHashing: SlowHashing {
    private let secrecy = OpenSSLSecrecy()

    package init() {}

    package func slowHash(of text: [UInt8]) throws(Fault) -> String {
        try slowHash(of: text, salt: secrecy.random(SlowHash.saltSize), .usual)
    }

    package func isSlowHash(_ hash: String, of text: [UInt8]) throws(Fault) -> Bool {
        guard let hash = SlowHash(parsing: hash) else {
            throw Fault("expected a hash by scrypt with parameters up to \(ScryptCost.most)")
        }
        return isEqual(hash.result, try Scrypt.derive(hash.result.count, from: text, salt: hash.salt, hash.cost))
    }

    func slowHash(of text: [UInt8], salt: [UInt8], _ cost: ScryptCost) throws(Fault) -> String {
        let result = try Scrypt.derive(SlowHash.resultSize, from: text, salt: salt, cost)
        return SlowHash(cost: cost, salt: salt, result: result).description
    }
}

/// The cost of scrypt: memory of 128 · 2^logN · r bytes, p times in sequence.
package struct ScryptCost: Sendable, Equatable, CustomStringConvertible {
    package let logN, r, p: Int

    package init(logN: Int, r: Int, p: Int) {
        (self.logN, self.r, self.p) = (logN, r, p)
    }

    /// The cost that OWASP recommends, in 32 MiB.
    package static let usual = ScryptCost(logN: 15, r: 8, p: 3)
    /// The highest accepted cost, 128 MiB, so that the author of a hash cannot make reading it use more memory.
    package static let most = ScryptCost(logN: 17, r: 8, p: 4)

    package var isBearable: Bool {
        (1...Self.most.logN).contains(logN) && (1...Self.most.r).contains(r) && (1...Self.most.p).contains(p)
    }

    package var description: String { "ln=\(logN),r=\(r),p=\(p)" }
}

package enum Scrypt {
    /// Derives bytes (RFC 7914).
    package static func derive(
        _ count: Int,
        from text: [UInt8],
        salt: [UInt8],
        _ cost: ScryptCost
    ) throws(Fault) -> [UInt8] {
        guard let algorithm = unsafe EVP_KDF_fetch(nil, "SCRYPT", nil) else {
            throw Fault(OpenSSLErrors.message("scrypt is not available"))
        }
        defer { unsafe EVP_KDF_free(algorithm) }
        guard let context = unsafe EVP_KDF_CTX_new(algorithm) else {
            throw Fault(OpenSSLErrors.message("not enough memory"))
        }
        defer { unsafe EVP_KDF_CTX_free(context) }
        var parameters = Parameters()
        parameters.add(OSSL_KDF_PARAM_PASSWORD, bytes: text)
        parameters.add(OSSL_KDF_PARAM_SALT, bytes: salt)
        parameters.add(OSSL_KDF_PARAM_SCRYPT_N, number: UInt64(1) << UInt64(cost.logN))
        parameters.add(OSSL_KDF_PARAM_SCRYPT_R, number: UInt64(cost.r))
        parameters.add(OSSL_KDF_PARAM_SCRYPT_P, number: UInt64(cost.p))
        parameters.add(OSSL_KDF_PARAM_SCRYPT_MAXMEM, number: UInt64(192 << 20))
        var result = [UInt8](repeating: 0, count: count)
        let code = unsafe parameters.withList { unsafe EVP_KDF_derive(context, &result, count, $0) }
        guard code == 1 else { throw Fault(OpenSSLErrors.message("hashing failed")) }
        return result
    }
}

/// The stored text of a hash.
private struct SlowHash: CustomStringConvertible {
    static let (saltSize, resultSize) = (16, 32)

    let cost: ScryptCost
    let salt: [UInt8]
    let result: [UInt8]

    init(cost: ScryptCost, salt: [UInt8], result: [UInt8]) {
        (self.cost, self.salt, self.result) = (cost, salt, result)
    }

    /// Parses a hash; nil for an invalid one, or one with too high a cost.
    init?(parsing text: String) {
        guard text.utf8.count <= 256 else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "scrypt",
            let cost = Self.cost(parts[2]),
            let salt = Base64.bytes(ofUnpadded: String(parts[3])), (8...64).contains(salt.count),
            let result = Base64.bytes(ofUnpadded: String(parts[4])), (16...64).contains(result.count)
        else { return nil }
        self.init(cost: cost, salt: salt, result: result)
    }

    private static func cost(_ text: Substring) -> ScryptCost? {
        var numbers: [Int] = []
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        for (part, name) in zip(parts, ["ln=", "r=", "p="]) {
            guard part.hasPrefix(name), let number = Int(part.dropFirst(name.count)) else { return nil }
            numbers.append(number)
        }
        let cost = ScryptCost(logN: numbers[0], r: numbers[1], p: numbers[2])
        return cost.isBearable ? cost : nil
    }

    var description: String { "$scrypt$\(cost)$\(Base64.unpaddedText(of: salt))$\(Base64.unpaddedText(of: result))" }
}
