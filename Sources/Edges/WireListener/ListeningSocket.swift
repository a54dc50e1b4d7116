import CLinux
import Glibc
import WireBase
import WireHTTP

/// A listening socket, closed with its file on release.
@safe struct ListeningSocket: ~Copyable {
    let descriptor: Int32
    /// The bound address.
    let endpoint: Endpoint
    /// Whether the peers are processes of this machine that the kernel can identify.
    let isLocal: Bool
    /// The file of a Unix socket, which is removed at the end.
    private let file: SocketFile?

    private init(descriptor: Int32, endpoint: Endpoint, isLocal: Bool, file: SocketFile?) {
        self.descriptor = descriptor
        self.endpoint = endpoint
        self.isLocal = isLocal
        self.file = file
    }

    static func open(_ endpoint: Endpoint) throws(ListenerFailure) -> ListeningSocket {
        switch endpoint {
        case .unix(let path, let mode): try unix(path, mode: mode)
        case .tcp(let host, let port): try tcp(host, port)
        case .inherited(let descriptor): try inherited(descriptor)
        }
    }

    deinit {
        // The file first, so that clients do not find a path without a listener.
        file?.removeIfStillOurs()
        _ = close(descriptor)
    }

    // MARK: Unix

    private static func unix(_ path: String, mode: UInt32) throws(ListenerFailure) -> ListeningSocket {
        let endpoint = Endpoint.unix(path: path, mode: mode)
        guard let address = SocketAddress(path: path) else {
            throw ListenerFailure(
                endpoint,
                "the path has \(path.utf8.count) bytes, expected 1 to \(SocketAddress.longestPath) without NUL"
            )
        }
        if let reason = SocketFile.prepareFolder(of: path) { throw ListenerFailure(endpoint, reason) }
        if let reason = SocketFile.removeStale(path, address) { throw ListenerFailure(endpoint, reason) }
        let descriptor = socket(AF_UNIX, corewire_stream_socket, 0)
        guard descriptor >= 0 else { throw ListenerFailure(endpoint, lastError()) }
        // Created without rights for others, which it gets with its final mode.
        _ = fchmod(descriptor, 0o600)
        let isBound = unsafe address.withPointer { unsafe bind(descriptor, $0, $1) } == 0
        guard isBound, unsafe chmod(path, mode & 0o777) == 0, let file = SocketFile(path),
            listen(descriptor, backlog) == 0, makeNonblocking(descriptor)
        else {
            let reason = lastError()
            if isBound { _ = unsafe unlink(path) }
            _ = close(descriptor)
            throw ListenerFailure(endpoint, reason)
        }
        return ListeningSocket(descriptor: descriptor, endpoint: endpoint, isLocal: true, file: file)
    }

    // MARK: TCP

    private static func tcp(_ host: String, _ port: Int) throws(ListenerFailure) -> ListeningSocket {
        let endpoint = Endpoint.tcp(host: host, port: port)
        guard (0...65_535).contains(port) else { throw ListenerFailure(endpoint, "expected a port from 0 to 65535") }
        guard let address = SocketAddress(host: host, port: port) else {
            throw ListenerFailure(endpoint, "expected an IPv4 or IPv6 address, or 'localhost'")
        }
        let descriptor = socket(address.family, corewire_stream_socket, 0)
        guard descriptor >= 0 else { throw ListenerFailure(endpoint, lastError()) }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if address.family == AF_INET6 { _ = unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        guard unsafe address.withPointer({ unsafe bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0,
            makeNonblocking(descriptor)
        else {
            let reason = lastError()
            _ = close(descriptor)
            throw ListenerFailure(endpoint, reason)
        }
        let chosen = SocketAddress(boundTo: descriptor)?.port ?? port
        return ListeningSocket(
            descriptor: descriptor,
            endpoint: .tcp(host: host, port: chosen),
            isLocal: false,
            file: nil
        )
    }

    // MARK: Inherited

    private static func inherited(_ given: Int32) throws(ListenerFailure) -> ListeningSocket {
        let endpoint = Endpoint.inherited(descriptor: given)
        guard let address = SocketAddress(boundTo: given) else {
            throw ListenerFailure(endpoint, "it is not a socket")
        }
        var isListening: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(given, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening == 1 else {
            throw ListenerFailure(endpoint, "the socket is not listening")
        }
        // A copy, so that the owner keeps the original and can pass it to the next listener.
        let descriptor = fcntl(given, F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0, makeNonblocking(descriptor) else { throw ListenerFailure(endpoint, lastError()) }
        return ListeningSocket(
            descriptor: descriptor,
            endpoint: endpoint,
            isLocal: address.family == AF_UNIX,
            file: nil
        )
    }

    private static let backlog: Int32 = 4_096

    private static func makeNonblocking(_ descriptor: Int32) -> Bool {
        fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
    }
}
