import CLinux
import Glibc

/// A socket address of any family.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length: socklen_t

    /// One byte of the field is for the final NUL.
    static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    var family: Int32 { Int32(storage.ss_family) }

    /// Nil for a path that does not fit, or that contains NUL.
    init?(path: String) {
        let bytes = Array(path.utf8)
        guard (1...Self.longestPath).contains(bytes.count), !bytes.contains(0) else { return nil }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
        storage.ss_family = sa_family_t(AF_UNIX)
        let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
        unsafe withUnsafeMutableBytes(of: &storage) { storage in
            for (index, byte) in bytes.enumerated() { unsafe storage[start + index] = byte }
        }
    }

    /// A numeric address or `localhost`: names are not resolved, so the call does not block.
    init?(host: String, port: Int) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV | AI_NUMERICHOST
        unsafe hints.ai_socktype = 1
        var found: UnsafeMutablePointer<addrinfo>?
        let name = host == "localhost" ? "127.0.0.1" : host
        guard unsafe getaddrinfo(name, "\(port)", &hints, &found) == 0, let first = unsafe found else { return nil }
        defer { unsafe freeaddrinfo(found) }
        length = unsafe first.pointee.ai_addrlen
        unsafe withUnsafeMutableBytes(of: &storage) {
            unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(length)))
        }
    }

    /// The address to which a socket is bound.
    init?(boundTo descriptor: Int32) {
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isSocket = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isSocket else { return nil }
    }

    /// Accepts a connection and returns the peer's address; nil where there is none, or on an error.
    static func accept(_ descriptor: Int32) -> (descriptor: Int32, from: SocketAddress)? {
        var address = SocketAddress()
        let accepted = unsafe withUnsafeMutablePointer(to: &address.storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe accept4(
                    descriptor,
                    $0,
                    &address.length,
                    corewire_accepted_socket
                )
            }
        }
        return accepted < 0 ? nil : (accepted, address)
    }

    private init() {
        length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
        }
    }

    /// The port, for families that have one.
    var port: Int? {
        switch family {
        case AF_INET:
            unsafe withUnsafeBytes(of: storage) {
                Int(UInt16(bigEndian: unsafe $0.load(as: sockaddr_in.self).sin_port))
            }
        case AF_INET6:
            unsafe withUnsafeBytes(of: storage) {
                Int(UInt16(bigEndian: unsafe $0.load(as: sockaddr_in6.self).sin6_port))
            }
        default: nil
        }
    }

    /// The address without the port, as text.
    var host: String {
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let capacity = socklen_t(name.count)
        let failure = unsafe withPointer { pointer, length in
            unsafe getnameinfo(pointer, length, &name, capacity, nil, 0, NI_NUMERICHOST)
        }
        guard failure == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The peer of a Unix socket, as the kernel identifies it.
enum PeerCredentials {
    static func of(_ descriptor: Int32) -> (user: UInt32, group: UInt32, id: Int32)? {
        // `struct ucred` is three 32-bit numbers; Glibc declares it only with GNU extensions.
        var credentials: (id: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
        return (credentials.user, credentials.group, credentials.id)
    }
}
