import Glibc

/// The present state of the interfaces.
enum LinkFacts {
    /// Whether an interface other than loopback is up, with a carrier and an address beyond the link; nil where the
    /// system does not say.
    static var haveAddress: Bool? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return nil }
        defer { unsafe freeifaddrs(list) }
        var next = unsafe list
        while let entry = unsafe next {
            if unsafe isUsable(entry.pointee) { return true }
            unsafe next = entry.pointee.ifa_next
        }
        return false
    }

    /// The addresses of the interfaces that are up, in network order; nil where the system does not say.
    static var addresses: Set<[UInt8]>? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return nil }
        defer { unsafe freeifaddrs(list) }
        var addresses: Set<[UInt8]> = []
        var next = unsafe list
        while let entry = unsafe next {
            if unsafe Int(entry.pointee.ifa_flags) & Int(IFF_UP) != 0, let address = unsafe entry.pointee.ifa_addr,
                let bytes = unsafe bytes(of: address)
            {
                addresses.insert(bytes)
            }
            unsafe next = entry.pointee.ifa_next
        }
        return addresses
    }

    private static func bytes(of address: UnsafeMutablePointer<sockaddr>) -> [UInt8]? {
        let raw = UnsafeRawPointer(address)
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            let four = unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            return unsafe withUnsafeBytes(of: four) { unsafe Array($0) }
        case AF_INET6:
            let six = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            return unsafe withUnsafeBytes(of: six) { unsafe Array($0) }
        default: return nil
        }
    }

    private static func isUsable(_ entry: ifaddrs) -> Bool {
        let flags = unsafe Int(entry.ifa_flags)
        let wanted = Int(IFF_UP) | Int(IFF_RUNNING)
        guard flags & wanted == wanted, flags & Int(IFF_LOOPBACK) == 0, let address = unsafe entry.ifa_addr else {
            return false
        }
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET: return true
        case AF_INET6:
            return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                unsafe withUnsafeBytes(of: address.pointee.sin6_addr) { bytes in
                    unsafe !(bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80)
                }
            }
        default: return false
        }
    }
}
