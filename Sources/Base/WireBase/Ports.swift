import Glibc

/// Tests whether an address is free for listening.
package enum Ports {
    /// Returns why no listener can be opened there now, or nil.
    ///
    /// The address is released at once.
    package static func reasonAgainst(host: String, port: Int) -> String? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, "\(port)", &hints, &found) == 0, let address = unsafe found else {
            return "this machine does not have the address"
        }
        defer { unsafe freeaddrinfo(found) }
        let descriptor = unsafe socket(
            address.pointee.ai_family,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue),
            0
        )
        guard descriptor >= 0 else { return reason() }
        defer { _ = close(descriptor) }
        var reuse: Int32 = 1
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else { return reason() }
        return listen(descriptor, 1) == 0 ? nil : reason()
    }

    private static func reason() -> String {
        let text = unsafe String(cString: strerror(errno))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
