extension PublicKey {
    /// Why the key is too weak for signatures, as far as its numbers show; nil where no weakness is known.
    ///
    /// Does not check whether a point is on its curve.
    package var weakness: String? {
        switch self {
        case .rsa(let modulus, let exponent): Self.weakness(ofModulus: modulus) ?? Self.weakness(ofExponent: exponent)
        case .ec(let curve, let x, let y):
            x.count == curve.size && y.count == curve.size
                ? nil : "expected coordinates of \(curve.size) bytes, found \(x.count) and \(y.count)"
        case .ed25519(let point): Self.weakness(ofPoint: point)
        }
    }

    /// The allowed sizes of RSA keys: the minimum of NIST, and a maximum to bound the verification time.
    package static var modulusBits: ClosedRange<Int> { 2_048...8_192 }

    private static func weakness(ofModulus modulus: [UInt8]) -> String? {
        guard let first = modulus.first, first != 0 else { return "expected a modulus without leading zeros" }
        let bits = modulus.count * 8 - first.leadingZeroBitCount
        guard modulusBits.contains(bits) else {
            return "expected a modulus of \(modulusBits.lowerBound) to \(modulusBits.upperBound) bits, found \(bits)"
        }
        guard let last = modulus.last, last & 1 == 1 else { return "expected an odd modulus" }
        return InfineonPrimes.made(modulus) ? "its primes can be computed (CVE-2017-15361)" : nil
    }

    /// At least 65537 (FIPS 186-4, section B.3.1), and at most 64 bits, to bound the verification time.
    private static func weakness(ofExponent exponent: [UInt8]) -> String? {
        guard let first = exponent.first, first != 0 else { return "expected an exponent without leading zeros" }
        let value = exponent.count <= 8 ? exponent.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : nil
        guard let value, value >= 65_537, value & 1 == 1 else {
            return "expected an odd exponent of 65537 at least and 64 bits at most"
        }
        return nil
    }

    /// Points of small order make one signature valid for many messages.
    private static func weakness(ofPoint point: [UInt8]) -> String? {
        guard point.count == 32 else { return "expected 32 bytes, found \(point.count)" }
        var unsigned = point
        unsigned[31] &= 0x7f
        return smallPoints.contains(unsigned) ? "expected a point of large order" : nil
    }

    /// The encodings of Curve25519's points of orders 1, 2, 4 and 8, without sign bits.
    private static let smallPoints: Set<[UInt8]> = {
        let middle = [UInt8](repeating: 0xff, count: 30)
        let zeros = [UInt8](repeating: 0, count: 31)
        return [
            [0] + zeros,
            [1] + zeros,
            [0xec] + middle + [0x7f],
            [0xed] + middle + [0x7f],
            [0xee] + middle + [0x7f],
            [
                0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
                0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
            ],
            [
                0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
                0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
            ],
        ]
    }()
}

/// Detects RSA keys of Infineon chips whose primes are powers of 65537 modulo many small primes ("ROCA").
private enum InfineonPrimes {
    private static let primes: [UInt32] = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
        113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
    ]

    /// Whether a modulus has the ROCA fingerprint; one in 2^27 other moduli has it as well.
    static func made(_ modulus: [UInt8]) -> Bool {
        primes.allSatisfy { prime in
            let rest = modulus.reduce(UInt32(0)) { ($0 << 8 | UInt32($1)) % prime }
            var power: UInt32 = 1
            repeat {
                if power == rest { return true }
                power = power * (65_537 % prime) % prime
            } while power != 1
            return false
        }
    }
}
