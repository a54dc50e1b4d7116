import WireSecrets

/// The two numbers of an ECDSA signature: concatenated in JWS (RFC 7518, section 3.4), DER in OpenSSL.
struct ECDSASignature {
    private let curve: EllipticCurve
    /// Big-endian, without leading zeros, never zero.
    private let r, s: ArraySlice<UInt8>

    /// Reads two nonzero numbers of the size of the curve; OpenSSL checks their range.
    init?(raw: [UInt8], _ curve: EllipticCurve) {
        guard raw.count == curve.size * 2 else { return nil }
        self.curve = curve
        r = raw.prefix(curve.size).drop { $0 == 0 }
        s = raw.suffix(curve.size).drop { $0 == 0 }
        guard !r.isEmpty, !s.isEmpty else { return nil }
    }

    /// Reads OpenSSL's form.
    init?(encoded: [UInt8], _ curve: EllipticCurve) {
        var rest = encoded[...]
        guard var numbers = Self.value(tagged: 0x30, &rest), rest.isEmpty,
            let r = Self.value(tagged: 0x02, &numbers)?.drop(while: { $0 == 0 }),
            let s = Self.value(tagged: 0x02, &numbers)?.drop(while: { $0 == 0 }), numbers.isEmpty,
            (1...curve.size).contains(r.count), (1...curve.size).contains(s.count)
        else { return nil }
        (self.curve, self.r, self.s) = (curve, r, s)
    }

    var raw: [UInt8] {
        [r, s].flatMap { [UInt8](repeating: 0, count: curve.size - $0.count) + $0 }
    }

    var encoded: [UInt8] {
        var numbers: [UInt8] = []
        numbers.reserveCapacity(curve.size * 2 + 9)
        for number in [r, s] {
            // A leading bit that is set would be a sign.
            let isPadded = number.first.map { $0 >= 0x80 } ?? false
            numbers += [0x02, UInt8(number.count + (isPadded ? 1 : 0))]
            if isPadded { numbers.append(0) }
            numbers += number
        }
        let length = UInt8(numbers.count)
        return (length < 0x80 ? [0x30, length] : [0x30, 0x81, length]) + numbers
    }

    private static func value(tagged tag: UInt8, _ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard rest.popFirst() == tag, var length = rest.popFirst() else { return nil }
        if length == 0x81 {
            guard let long = rest.popFirst() else { return nil }
            length = long
        } else if length >= 0x80 {
            return nil
        }
        guard rest.count >= Int(length) else { return nil }
        defer { rest = rest.dropFirst(Int(length)) }
        return rest.prefix(Int(length))
    }
}
