import Glibc

/// Tests whether a process listens at a Unix socket, by connecting to it.
package enum SocketProbe: Sendable, Equatable {
    case listening
    case missing
    /// The file exists and no process listens: the program has ended without removing it.
    case abandoned
    case noSocket
    case forbidden
    case other(String)

    /// The longest path of a socket, without the final NUL.
    package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Tests a path without waiting; a listener too busy to accept counts as listening.
    package static func ask(_ path: String) -> Self {
        let address: UnixAddress
        do throws(HostError) {
            address = try UnixAddress(path)
        } catch {
            return .other(error.reason)
        }
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let number = socket(AF_UNIX, flags, 0)
        guard number >= 0 else { return .other(SystemWords.text(of: errno)) }
        let socket = Descriptor(owning: number)
        guard unsafe address.lend({ name, length in unsafe connect(socket.number, name, length) }) != 0 else {
            return .listening
        }
        switch errno {
        case EAGAIN, EINPROGRESS: return .listening
        case ENOENT, ENOTDIR: return .missing
        case ECONNREFUSED: return FileFacts.of(path)?.kind == .file ? .noSocket : .abandoned
        case ENOTSOCK, EPROTOTYPE: return .noSocket
        case EACCES, EPERM: return .forbidden
        default: return .other(SystemWords.text(of: errno))
        }
    }
}
