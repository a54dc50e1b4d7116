import Glibc

/// The IP address of a connection.
package struct RemoteAddress: Sendable, Hashable {
    /// Four bytes of IPv4 or sixteen of IPv6, in network order; an IPv4 address embedded in IPv6 is extracted.
    package let bytes: [UInt8]

    /// Reads a system address; nil for any other family.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(unsafe address.pointee.sa_family) {
        case AF_INET:
            let raw = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self).sin_addr
            bytes = unsafe withUnsafeBytes(of: raw) { unsafe Array($0) }
        case AF_INET6:
            let raw = unsafe UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self).sin6_addr
            bytes = Self.unwrapped(unsafe withUnsafeBytes(of: raw) { unsafe Array($0) })
        default: return nil
        }
    }

    /// Reads an address from text; nil for an invalid one.
    package init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            bytes = unsafe withUnsafeBytes(of: four) { unsafe Array($0) }
        } else if unsafe inet_pton(AF_INET6, text, &six) == 1 {
            bytes = Self.unwrapped(unsafe withUnsafeBytes(of: six) { unsafe Array($0) })
        } else {
            return nil
        }
    }

    /// `::ffff:0:0/96` (RFC 4291), `64:ff9b::/96` (RFC 6052) and `2002::/16` (RFC 3056) contain an IPv4 address.
    private static func unwrapped(_ six: [UInt8]) -> [UInt8] {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        let translated: [UInt8] = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0]
        if six.starts(with: mapped) || six.starts(with: translated) { return Array(six[12...]) }
        if six.starts(with: [0x20, 0x02]) { return Array(six[2..<6]) }
        return six
    }

    /// Whether it is a loopback address.
    package var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether the address is public: not loopback, private, reserved or link-local, which includes the metadata
    /// services of clouds.
    package var isPublic: Bool {
        let ranges = bytes.count == 4 ? Self.reservedFour : Self.reservedSix
        return !ranges.contains { lies(in: $0.prefix, length: $0.length) }
    }

    func lies(in prefix: [UInt8], length: Int) -> Bool {
        for index in 0..<length {
            let bit = UInt8(0x80) >> (index % 8)
            let expected = index / 8 < prefix.count ? prefix[index / 8] & bit : 0
            guard bytes[index / 8] & bit == expected else { return false }
        }
        return true
    }

    /// The ranges that IANA's special-purpose registries list as not globally reachable, and multicast.
    private static let reservedFour: [(prefix: [UInt8], length: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 4), ([240], 4),
    ]

    private static let reservedSix: [(prefix: [UInt8], length: Int)] = [
        // The first one covers the unspecified address, loopback and IPv4-compatible addresses, `::/96`.
        ([], 96), ([0, 0x64, 0xff, 0x9b, 0, 1], 48), ([1], 64), ([0x20, 0x01, 0], 23), ([0x20, 0x01, 0x0d, 0xb8], 32),
        ([0x3f, 0xff], 20), ([0xfc], 7), ([0xfe, 0x80], 10), ([0xfe, 0xc0], 10), ([0xff], 8),
    ]
}

extension RemoteAddress: CustomStringConvertible {
    /// The address as text.
    package var description: String {
        var text = [CChar](repeating: 0, count: 64)
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard unsafe inet_ntop(family, bytes, &text, 64) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
