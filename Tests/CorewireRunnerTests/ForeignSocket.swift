import Foundation
import Glibc

/// Somebody else at a Unix socket, who reads each request and answers what a test says.
final class ForeignSocket: @unchecked Sendable {
    private let descriptor: Int32

    /// Answers every connection with these bytes, and closes it; with none it closes without a word.
    init(at path: String, answering bytes: [UInt8]) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(path.utf8)
        precondition(name.count < 108, "the path of a socket is short")
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let bound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(descriptor, 8) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let listening = descriptor
        Thread.detachNewThread {
            while true {
                let caller = accept(listening, nil, nil)
                guard caller >= 0 else { return }
                Self.answer(caller, bytes)
            }
        }
    }

    deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func answer(_ caller: Int32, _ bytes: [UInt8]) {
        var request: [UInt8] = []
        while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var byte: UInt8 = 0
            guard unsafe recv(caller, &byte, 1, 0) == 1 else { break }
            request.append(byte)
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(caller, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        close(caller)
    }

    /// An answer in the form of HTTP.
    static func answer(_ body: String, status: String = "200 OK", type: String = "application/json") -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)
    }
}
