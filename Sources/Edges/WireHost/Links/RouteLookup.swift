import Glibc
import Synchronization
import WireNetworkContract

/// Queries the kernel for routes and their interfaces (rtnetlink(7)).
final class RouteLookup: Sendable {
    fileprivate struct State {
        /// The socket; -1 before the first query, and where there is no such socket.
        var socket: Int32 = -1
        var number: UInt32 = 0
    }

    private let state = Mutex(State())

    deinit {
        let socket = state.withLock(\.socket)
        if socket >= 0 { close(socket) }
    }

    func route(to address: [UInt8]) -> NetworkRoute {
        guard let family = Self.family(of: address) else { return .unknown }
        return state.withLock { state in
            guard state.open() else { return .unknown }
            switch state.ask(Self.getRoute, Self.question(family, address)) {
            case nil: return .unknown
            case .refused: return .none
            case .answered(let message): return state.route(in: message)
            }
        }
    }

    private static func family(of address: [UInt8]) -> Int32? {
        switch address.count {
        case 4: AF_INET
        case 16: AF_INET6
        default: nil
        }
    }

    /// Returns `struct rtmsg` with the attribute RTA_DST.
    private static func question(_ family: Int32, _ address: [UInt8]) -> [UInt8] {
        let head: [UInt8] = [UInt8(family), UInt8(address.count * 8)] + [UInt8](repeating: 0, count: 10)
        let attribute = Self.bytes(UInt16(4 + address.count)) + Self.bytes(destination) + address
        return head + attribute
    }

    fileprivate static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        unsafe withUnsafeBytes(of: number) { unsafe Array($0) }
    }

    // The numbers of linux/rtnetlink.h and linux/netlink.h.
    fileprivate static let (newLink, getLink): (UInt16, UInt16) = (16, 18)
    fileprivate static let (newRoute, getRoute): (UInt16, UInt16) = (24, 26)
    fileprivate static let (destination, interface, gateway, via): (UInt16, UInt16, UInt16, UInt16) = (1, 4, 5, 18)
    fileprivate static let failure: UInt16 = 2
    fileprivate static let request: UInt16 = 1
}

/// The kernel's reply to a query.
private enum Reply {
    /// The message without its header.
    case answered([UInt8])
    case refused
}

extension RouteLookup.State {
    fileprivate mutating func open() -> Bool {
        if socket < 0 { socket = Glibc.socket(AF_NETLINK, Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0) }
        return socket >= 0
    }

    /// Sends a query and returns the reply; nil where the system does not say.
    ///
    /// The kernel's reply is there as soon as the query is sent.
    fileprivate mutating func ask(_ kind: UInt16, _ body: [UInt8]) -> Reply? {
        number &+= 1
        let head =
            RouteLookup.bytes(UInt32(16 + body.count)) + RouteLookup.bytes(kind)
            + RouteLookup.bytes(RouteLookup.request)
            + RouteLookup.bytes(number) + RouteLookup.bytes(0 as UInt32)
        let message = head + body
        guard unsafe send(socket, message, message.count, 0) == message.count else { return nil }
        var buffer = [UInt8](repeating: 0, count: 32_768)
        while true {
            let count = unsafe recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0, errno == EINTR { continue }
            guard count >= 16 else { return nil }
            let reply = buffer[..<count]
            // A reply to an earlier query that was not awaited.
            guard reply.number(at: 8, as: UInt32.self) == number else { continue }
            if reply.number(at: 4, as: UInt16.self) == RouteLookup.failure { return .refused }
            return .answered(Array(reply.dropFirst(16)))
        }
    }

    /// Reads the route from `struct rtmsg` and its attributes.
    fileprivate mutating func route(in message: [UInt8]) -> NetworkRoute {
        guard message.count >= 12 else { return .unknown }
        // RTN_UNICAST and RTN_LOCAL are usable; unreachable, blackhole and prohibit routes are not.
        guard message[7] == 1 || message[7] == 2 else { return .none }
        var (interface, gateway): (Int32?, [UInt8]) = (nil, [])
        var rest = message[12...]
        while let length = rest.number(at: 0, as: UInt16.self), let kind = rest.number(at: 2, as: UInt16.self),
            (4...rest.count).contains(Int(length))
        {
            let value = rest.dropFirst(4).prefix(Int(length) - 4)
            switch kind {
            case RouteLookup.interface: interface = value.number(at: 0, as: Int32.self)
            case RouteLookup.gateway, RouteLookup.via: gateway = Array(value)
            default: break
            }
            rest = rest.dropFirst((Int(length) + 3) & ~3)
        }
        guard let interface else { return .unknown }
        return .over(interface: interface, gateway: gateway, hasCarrier: hasCarrier(interface))
    }

    /// Whether an interface is up and has a carrier, from the flags of `struct ifinfomsg`.
    private mutating func hasCarrier(_ interface: Int32) -> Bool {
        let body = [UInt8](repeating: 0, count: 4) + RouteLookup.bytes(interface) + [UInt8](repeating: 0, count: 8)
        guard case .answered(let message) = ask(RouteLookup.getLink, body),
            let flags = message[...].number(at: 8, as: UInt32.self)
        else { return true }
        let wanted = UInt32(IFF_UP) | UInt32(IFF_RUNNING)
        return flags & wanted == wanted
    }
}

extension ArraySlice<UInt8> {
    /// Reads a number in host order; nil past the end.
    fileprivate func number<Number: FixedWidthInteger>(at offset: Int, as: Number.Type) -> Number? {
        guard offset + MemoryLayout<Number>.size <= count else { return nil }
        return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: Number.self) }
    }
}
