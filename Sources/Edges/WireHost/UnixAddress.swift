import Glibc
import WireBase

/// The address of a Unix socket: a path, or a name in Linux's abstract namespace, written `@name`.
struct UnixAddress: Sendable {
    let text: String
    private let bytes: [UInt8]

    init(_ text: String) throws(HostError) {
        let isAbstract = text.hasPrefix("@")
        guard isAbstract || text.hasPrefix("/"), text.utf8.count > 1 else {
            throw HostError(.socket, text, "expected an absolute path or a name after '@'")
        }
        let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - (isAbstract ? 0 : 1)
        guard text.utf8.count <= room, !text.utf8.contains(0) else {
            throw HostError(.socket, text, "a socket's name has at most \(room) bytes, without NUL")
        }
        self.text = text
        let family = unsafe withUnsafeBytes(of: sa_family_t(AF_UNIX)) { unsafe Array($0) }
        bytes = family + (isAbstract ? [0] + text.utf8.dropFirst() : text.utf8 + [0])
    }

    /// Provides the address in the form of the system calls.
    func lend<Result>(_ call: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var address = sockaddr_un()
        unsafe withUnsafeMutableBytes(of: &address) { unsafe $0.copyBytes(from: bytes) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe call($0, socklen_t(bytes.count)) }
        }
    }
}

/// A socket that sends datagrams to a listener.
struct DatagramSocket: ~Copyable, Sendable {
    private let descriptor: Descriptor
    private let address: UnixAddress

    /// Opens a socket that waits for room at the other end up to a limit.
    init(to address: UnixAddress, waiting limit: Duration) throws(HostError) {
        let number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { throw HostError.system(.socket, address.text) }
        descriptor = Descriptor(owning: number)
        self.address = address
        var wait = timeval(tv_sec: Int(limit.components.seconds), tv_usec: Int(limit.inMicroseconds % 1_000_000))
        _ = unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        // Log records may be larger than the default buffer; the system limits this value.
        var room: Int32 = 1 << 20
        _ = unsafe setsockopt(number, SOL_SOCKET, SO_SNDBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    }

    func send(_ message: [UInt8]) throws(HostError) {
        while true {
            let count = unsafe address.lend { name, length in
                unsafe message.withUnsafeBytes {
                    unsafe sendto(
                        descriptor.number,
                        $0.baseAddress,
                        $0.count,
                        Int32(MSG_NOSIGNAL),
                        name,
                        length
                    )
                }
            }
            if count == message.count { return }
            guard errno == EINTR else { throw HostError.system(.socket, address.text) }
        }
    }
}
