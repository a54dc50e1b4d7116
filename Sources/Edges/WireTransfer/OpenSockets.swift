import Glibc
import WireNetworkContract

/// The sockets of libcurl's connections to other machines, including kept ones, with their routes.
///
/// Used by the engine's thread only, and by libcurl when it closes the rest.
final class OpenSockets {
    private struct Opened {
        /// The transfer for which the socket was opened.
        let transfer: UInt
        let remote: [UInt8]
        let route: NetworkRoute
        /// Distinguishes the socket from a later one with the same number, since libcurl does not report every close.
        let inode: UInt
    }

    /// The effect of a network change on a connection.
    enum Harm {
        /// The packets take another route, or none for now: the connection may recover.
        case moved
        /// The connection's own address is gone, or there is no route to the server.
        case lost
    }

    /// A connection and the effect of the change.
    struct Finding {
        let socket: Int32
        /// The transfer for which the connection was opened.
        let transfer: UInt
        let localPort: Int32
        /// Nil where the connection is unaffected.
        let harm: Harm?
    }

    private let routes: (any NetworkRoutes)?
    private var lastNumber: UInt = 0
    private var opened: [Int32: Opened] = [:]

    init(_ routes: (any NetworkRoutes)?) { self.routes = routes }

    /// Returns a unique number for a transfer, since libcurl reuses the addresses of handles.
    func newNumber() -> UInt {
        lastNumber &+= 1
        return lastNumber
    }

    /// Records a socket that is about to connect.
    func open(_ socket: Int32, for transfer: UInt, to address: UnsafePointer<sockaddr>) {
        guard let routes, socket >= 0, let remote = unsafe Self.bytes(of: address),
            let inode = Self.inode(of: socket)
        else { return }
        opened[socket] = Opened(transfer: transfer, remote: remote, route: routes.route(to: remote), inode: inode)
    }

    /// Closes a socket.
    func close(_ socket: Int32) -> Int32 {
        opened[socket] = nil
        return Glibc.close(socket)
    }

    /// Shuts a connection down; libcurl finds it closed at the next use.
    func shutDown(_ socket: Int32) {
        guard let known = opened[socket], known.inode == Self.inode(of: socket) else { return }
        shutdown(socket, Int32(SHUT_RDWR))
    }

    private static func inode(of socket: Int32) -> UInt? {
        var status = stat()
        return unsafe fstat(socket, &status) == 0 ? UInt(status.st_ino) : nil
    }

    /// Returns the effect of a network change on each connection.
    func findings() -> [Finding] {
        opened = opened.filter { $0.value.inode == Self.inode(of: $0.key) }
        guard let routes, !opened.isEmpty else { return [] }
        let addresses = routes.addresses
        var known: [[UInt8]: NetworkRoute] = [:]
        return opened.map { socket, opened in
            let (local, port) = Self.local(of: socket)
            let now = known[opened.remote] ?? routes.route(to: opened.remote)
            known[opened.remote] = now
            var harm: Harm?
            if opened.route != .unknown, now != .unknown, now != opened.route { harm = now == .none ? .lost : .moved }
            if let local, local.contains(where: { $0 != 0 }), addresses?.contains(local) == false { harm = .lost }
            return Finding(socket: socket, transfer: opened.transfer, localPort: port, harm: harm)
        }
    }

    /// Returns the local address and port of a socket.
    private static func local(of socket: Int32) -> (address: [UInt8]?, port: Int32) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe getsockname(socket, pointer, &length) == 0 else { return (nil, 0) }
                // Two bytes of family, then two of port in network order, in both families.
                let port = unsafe UnsafeRawPointer(pointer).loadUnaligned(fromByteOffset: 2, as: UInt16.self)
                return (unsafe bytes(of: pointer), Int32(UInt16(bigEndian: port)))
            }
        }
    }

    /// Returns the address of another machine; nil for any other one.
    private static func bytes(of address: UnsafePointer<sockaddr>) -> [UInt8]? {
        let raw = unsafe UnsafeRawPointer(address)
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            let four = unsafe raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            let bytes = unsafe withUnsafeBytes(of: four) { unsafe Array($0) }
            return bytes[0] == 127 ? nil : bytes
        case AF_INET6:
            let six = unsafe raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            let bytes = unsafe withUnsafeBytes(of: six) { unsafe Array($0) }
            let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
            if bytes.starts(with: mapped) { return bytes[12] == 127 ? nil : Array(bytes[12...]) }
            // The link of a link-local address is not compared.
            return bytes.dropLast().allSatisfy { $0 == 0 } || (bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80)
                ? nil : bytes
        default: return nil
        }
    }
}
