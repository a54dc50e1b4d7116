import Glibc
import WireHTTP

extension Transfer {
    /// Returns the socket with a local port; a host with several addresses has several sockets.
    func socket(at port: Int32) -> Int32? {
        guard sockets.count > 1 else { return sockets.first }
        return sockets.first { Self.port(of: $0) == port }
    }

    private static func port(of descriptor: Int32) -> Int32? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutableBytes(of: &address) { bytes in
            guard let start = bytes.baseAddress,
                unsafe getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &length) == 0
            else { return nil }
            // Two bytes of family, then two of port in network order, in both families.
            return Int32(unsafe bytes[2]) << 8 | Int32(unsafe bytes[3])
        }
    }

    /// Whether the peer has half-closed, and all of its bytes have been read.
    var isLeftByPeer: Bool {
        guard isUpgraded, isSendingHeld, !isReceivingHeld, let socket else { return false }
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
    }
}
