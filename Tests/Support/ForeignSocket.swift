import Foundation
import Glibc
import Synchronization

/// A server on a Unix socket that is no runner: it reads each request and sends the given bytes.
package final class ForeignSocket: Sendable {
    /// The behavior after the response.
    package enum Ending: Sendable {
        case closes
        /// Waits until the caller has disconnected.
        case holds
        /// Sends the same bytes until the client closes.
        case repeats([UInt8])
    }

    private let descriptor: Int32
    private let callers = Callers()

    private final class Callers: Sendable {
        let counts = Mutex((asked: 0, gone: 0))
    }

    /// Responds to every connection with these bytes and closes it; without bytes it only closes.
    ///
    /// With `reads` off the response is sent before the request arrives.
    package init(at path: String, answering bytes: [UInt8], then ending: Ending = .closes, reads: Bool = true) throws {
        descriptor = try Self.listening(at: path)
        let (listening, callers) = (descriptor, callers)
        Thread.detachNewThread {
            while true {
                let caller = accept(listening, nil, nil)
                guard caller >= 0 else { return }
                if reads { Self.readHead(caller) }
                callers.counts.withLock { $0.asked += 1 }
                if Self.send(bytes, to: caller) { Self.end(caller, ending) }
                close(caller)
                callers.counts.withLock { $0.gone += 1 }
            }
        }
    }

    /// Makes a server that listens and never accepts.
    package init(silentAt path: String) throws {
        descriptor = try Self.listening(at: path)
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// The number of requests.
    package var asked: Int { callers.counts.withLock(\.asked) }
    /// The number of callers that have disconnected.
    package var gone: Int { callers.counts.withLock(\.gone) }

    private static func listening(at path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let bound = try unsafe named(path) { name, length in unsafe bind(descriptor, name, length) }
        guard bound == 0, listen(descriptor, 8) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return descriptor
    }

    private static func named(_ path: String, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        precondition(name.count < 108, "the path of a socket is short")
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        return unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe call($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Connects until the backlog is full; the connections keep it full until they are closed.
    package static func fill(_ path: String) throws -> [Int32] {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        var connections: [Int32] = []
        while true {
            let number = socket(AF_UNIX, flags, 0)
            let result = try unsafe named(path) { name, length in unsafe connect(number, name, length) }
            guard result == 0 else {
                close(number)
                return connections
            }
            connections.append(number)
        }
    }

    private static func readHead(_ caller: Int32) {
        var request: [UInt8] = []
        while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var byte: UInt8 = 0
            guard unsafe recv(caller, &byte, 1, 0) == 1 else { break }
            request.append(byte)
        }
    }

    private static func end(_ caller: Int32, _ ending: Ending) {
        switch ending {
        case .closes: break
        case .holds:
            var event = pollfd(fd: caller, events: 0, revents: 0)
            _ = unsafe poll(&event, 1, -1)
        case .repeats(let bytes): while send(bytes, to: caller) {}
        }
    }

    private static func send(_ bytes: [UInt8], to caller: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.send(caller, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// A response in HTTP.
    package static func answer(_ body: String, status: String = "200 OK", type: String = "application/json") -> [UInt8]
    {
        Array("HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }
}
