import Glibc

extension ActivatedSocket {
    /// The address to which an inherited socket is bound.
    package enum Address: Sendable, Equatable {
        /// A Unix socket; nil for one without a file.
        case unix(path: String?)
        /// A TCP socket with a numeric address.
        case tcp(host: String, port: Int)
        /// Any other socket.
        case other
    }

    /// The address of the socket.
    package var address: Address {
        var kind: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0, kind == Int32(SOCK_STREAM.rawValue)
        else { return .other }
        var storage = sockaddr_storage()
        size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let descriptor = descriptor
        let isKnown = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isKnown else { return .other }
        let bytes = unsafe withUnsafeBytes(of: storage) { unsafe Array($0.prefix(Int(size))) }
        switch Int32(storage.ss_family) {
        case AF_UNIX: return .unix(path: Self.path(bytes.dropFirst(2)))
        case AF_INET: return Self.tcp(AF_INET, bytes, at: 4)
        case AF_INET6: return Self.tcp(AF_INET6, bytes, at: 8)
        default: return .other
        }
    }

    /// A path ends at the first NUL; a leading NUL means that there is no file.
    private static func path(_ bytes: ArraySlice<UInt8>) -> String? {
        let path = bytes.prefix { $0 != 0 }
        return path.isEmpty ? nil : String(decoding: path, as: UTF8.self)
    }

    /// Reads `sockaddr_in` or `sockaddr_in6`: family, port in network order, address.
    private static func tcp(_ family: Int32, _ bytes: [UInt8], at start: Int) -> Address {
        let length = family == AF_INET ? 4 : 16
        guard bytes.count >= start + length else { return .other }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let address = Array(bytes[start..<start + length])
        guard unsafe inet_ntop(family, address, &text, socklen_t(text.count)) != nil else { return .other }
        let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return .tcp(host: host, port: Int(bytes[2]) << 8 | Int(bytes[3]))
    }
}
