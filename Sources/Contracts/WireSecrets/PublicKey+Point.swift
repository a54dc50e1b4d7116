extension PublicKey {
    /// The number of bytes of an uncompressed point of P-256.
    package static let pointSize = 1 + 2 * EllipticCurve.p256.size

    /// Reads an uncompressed point of P-256 (SEC 1, section 2.3.4), as Web Push transmits keys.
    ///
    /// Whether it is on the curve is checked where the key is used.
    package init?(point: [UInt8]) {
        guard point.count == Self.pointSize, point[0] == 4 else { return nil }
        self = .ec(.p256, x: Array(point[1...EllipticCurve.p256.size]), y: Array(point.suffix(EllipticCurve.p256.size)))
    }

    /// The uncompressed point; nil for a key that is not one of P-256.
    package var point: [UInt8]? {
        guard case .ec(.p256, let x, let y) = self else { return nil }
        return [4] + x + y
    }
}
