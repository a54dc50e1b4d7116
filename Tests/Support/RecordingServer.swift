import Glibc
import Foundation
import Synchronization

/// A server that records requests byte for byte, and sends the given responses.
///
/// Unlike the servers of libraries, it normalizes no target and folds no field.
package final class RecordingServer: Sendable {
    /// The bytes of a response, by the number of the request from 1 and its target.
    package typealias Script = @Sendable (_ number: Int, _ target: String) -> String

    private let descriptor: Int32
    private let recorded = Mutex<[String]>([])
    private let script: Script
    private let isHolding: Bool
    private let left = Mutex(0)
    package let port: Int

    /// With `holding` it sends the response and then nothing, and leaves closing to the client.
    package init(
        holding isHolding: Bool = false,
        _ script: @escaping Script = { _, _ in RecordingServer.answer("{}") }
    ) throws {
        (self.script, self.isHolding) = (script, isHolding)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listening = descriptor
        let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(listening, $0, size) == 0 && listen(listening, 64) == 0
                    && getsockname(listening, $0, &size) == 0
            }
        }
        guard bound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let caller = accept(listening, nil, nil)
                guard caller >= 0, let server = self else { return }
                Thread.detachNewThread { server.serve(caller) }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// Each request as received, head and body.
    package var requests: [String] { recorded.withLock { $0 } }

    /// The number of held connections that the client has closed.
    package var abandoned: Int { left.withLock { $0 } }

    /// The request lines without the version: `POST /orders`.
    package var asked: [String] {
        requests.map { $0.split(separator: "\r\n")[0].split(separator: " ").prefix(2).joined(separator: " ") }
    }

    /// The requests for a target.
    package func requests(for target: String) -> [String] {
        requests.filter { $0.split(separator: " ", maxSplits: 2).dropFirst().first ?? "" == target }
    }

    /// A response with its length, after which the connection closes.
    package static func answer(_ body: String, _ status: String = "200 OK", _ fields: String...) -> String {
        let more = (["Content-Type: application/json", "Connection: close"] + fields).map { "\($0)\r\n" }.joined()
        return "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(more)\r\n\(body)"
    }

    private func serve(_ caller: Int32) {
        defer { close(caller) }
        var bytes: [UInt8] = []
        guard Self.read(caller, into: &bytes, until: { $0.firstRange(of: "\r\n\r\n".utf8) != nil }) else { return }
        let head = String(decoding: bytes, as: UTF8.self)
        guard let end = bytes.firstRange(of: "\r\n\r\n".utf8) else { return }
        let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
            .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) }
        let whole = end.upperBound + (length ?? 0)
        guard Self.read(caller, into: &bytes, until: { $0.count >= whole }) else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        let number = recorded.withLock { recorded in
            recorded.append(text)
            return recorded.count
        }
        var rest = Array(script(number, String(text.split(separator: " ")[1])).utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe send(caller, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
        guard isHolding else { return }
        _ = Self.read(caller, into: &bytes, until: { _ in false })
        left.withLock { $0 += 1 }
    }

    private static func read(_ caller: Int32, into bytes: inout [UInt8], until isThere: ([UInt8]) -> Bool) -> Bool {
        var part = [UInt8](repeating: 0, count: 65_536)
        while !isThere(bytes) {
            let count = unsafe recv(caller, &part, part.count, 0)
            guard count > 0 else { return false }
            bytes += part.prefix(count)
        }
        return true
    }
}
