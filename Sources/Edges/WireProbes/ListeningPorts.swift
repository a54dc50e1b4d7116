import Glibc
import WireBase
import WireSecurityContract

/// The TCP ports with listeners.
enum ListeningPorts {
    // MARK: By netlink

    /// Asks the kernel for listening sockets only (sock_diag(7)); nil where that is impossible.
    ///
    /// For the files in /proc the kernel walks its whole connection table, which takes milliseconds on machines with
    /// much memory.
    static func asked() -> Set<Int>? {
        let descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), 4 /* SOCK_DIAG */)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var patience = timeval(tv_sec: 2, tv_usec: 0)
        _ = unsafe setsockopt(
            descriptor,
            SOL_SOCKET,
            SO_RCVTIMEO,
            &patience,
            socklen_t(MemoryLayout<timeval>.size)
        )
        guard let old = ports(of: AF_INET, descriptor), let new = ports(of: AF_INET6, descriptor) else { return nil }
        return old.union(new)
    }

    private static func ports(of family: Int32, _ descriptor: Int32) -> Set<Int>? {
        var question = [UInt8](repeating: 0, count: 72)
        // struct nlmsghdr: the length, SOCK_DIAG_BY_FAMILY, NLM_F_REQUEST | NLM_F_DUMP.
        question[0] = 72
        question[4] = 20
        (question[6], question[7]) = (0x01, 0x03)
        // struct inet_diag_req_v2: the family, TCP, the mask for listening sockets.
        (question[16], question[17]) = (UInt8(family), 6)
        question[21] = 1 << (10 - 8)
        guard unsafe send(descriptor, question, question.count, 0) == question.count else { return nil }
        var ports: Set<Int> = []
        var buffer = [UInt8](repeating: 0, count: 32_768)
        while true {
            let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            switch take(buffer[..<count], into: &ports) {
            case .goesOn: continue
            case .done: return ports
            case .refused: return nil
            }
        }
    }

    private enum Progress { case goesOn, done, refused }

    /// Reads the ports from messages.
    private static func take(_ messages: ArraySlice<UInt8>, into ports: inout Set<Int>) -> Progress {
        var rest = messages
        while rest.count >= 16 {
            let start = rest.startIndex
            let length = (0..<4).reduce(0) { $0 | Int(rest[start + $1]) << (8 * $1) }
            guard length >= 16, length <= rest.count else { return .refused }
            switch rest[start + 4] {
            // NLMSG_DONE
            case 3: return .done
            // struct inet_diag_msg: the port is at byte 4, in network order.
            case 20 where length >= 22: ports.insert(Int(rest[start + 20]) << 8 | Int(rest[start + 21]))
            default: return .refused
            }
            rest = rest.dropFirst((length + 3) / 4 * 4)
        }
        return .goesOn
    }

    // MARK: By files

    /// Reads the files of all connections.
    static func read() throws(Fault) -> Set<Int> {
        var ports: Set<Int> = []
        for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let text = try KernelText.readIfThere(path) else { continue }
            for line in text.split(separator: "\n").dropFirst() {
                let fields = line.split(separator: " ")
                // The fourth field is the state: 0A is LISTEN.
                guard fields.count > 3, fields[3] == "0A", let port = fields[1].split(separator: ":").last,
                    let number = Int(port, radix: 16)
                else { continue }
                ports.insert(number)
            }
        }
        return ports
    }
}
