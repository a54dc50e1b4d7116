import Dispatch
import Foundation

/// An HTTP client that sends exact bytes over a socket of either kind.
///
/// It blocks on a queue of its own, never on Swift's shared threads, and for a minute at most.
package final class RawClient: @unchecked Sendable {
    // Sendable: all mutable state is used on the queue only.
    package enum Address: Sendable {
        case unix(String)
        case tcp(String, Int)
    }

    package struct Answer: Sendable {
        package var status: Int
        package var fields: [(name: String, value: String)]
        package var body: [UInt8]

        package var text: String { String(decoding: body, as: UTF8.self) }
        package subscript(name: String) -> String? {
            fields.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let descriptor: Int32
    private let queue = DispatchQueue(label: "raw client")
    private var buffer: [UInt8] = []
    private var isClosed = false

    package static func connect(to address: Address, receiveBuffer: Int32? = nil) async throws -> RawClient {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try RawClient(address, receiveBuffer) })
            }
        }
    }

    private init(_ address: Address, _ receiveBuffer: Int32?) throws {
        var family = AF_UNIX
        if case .tcp(let host, _) = address { family = host.contains(":") ? AF_INET6 : AF_INET }
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(description: "socket: \(errno)") }
        var patience = timeval(tv_sec: 60, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
        if var receiveBuffer {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        var result: Int32 = -1
        switch address {
        case .unix(let path):
            var target = sockaddr_un()
            target.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &target.sun_path) { field in
                for (index, byte) in path.utf8.enumerated() { unsafe field[index] = byte }
            }
            result = unsafe withUnsafePointer(to: &target) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        case .tcp(let host, let port):
            var hints = unsafe addrinfo()
            unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var found: UnsafeMutablePointer<addrinfo>?
            if unsafe getaddrinfo(host, "\(port)", &hints, &found) == 0, let first = unsafe found {
                result = unsafe Glibc.connect(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen)
                unsafe freeaddrinfo(found)
            }
        }
        guard result == 0 else {
            let reason = errno
            Glibc.close(descriptor)
            isClosed = true
            throw Failure(description: "connect: \(reason)")
        }
    }

    deinit { if !isClosed { Glibc.close(descriptor) } }

    private func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    // MARK: Sending

    package func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    package func send(_ bytes: [UInt8]) async throws {
        try await perform { [self] in
            var sent = 0
            while sent < bytes.count {
                let count = unsafe bytes[sent...].withUnsafeBytes {
                    unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failure(description: "send: \(errno)") }
                sent += count
            }
        }
    }

    /// Shuts down the sending side.
    package func endSending() async throws {
        try await perform { [self] in _ = shutdown(descriptor, Int32(SHUT_WR)) }
    }

    package func close() async throws {
        try await perform { [self] in
            if !isClosed { Glibc.close(descriptor) }
            isClosed = true
        }
    }

    // MARK: Receiving

    /// Reads a response with its body; interim ones are responses too.
    package func answer(toHead: Bool = false) async throws -> Answer {
        try await perform { [self] in
            var answer = try readHead()
            guard !toHead, answer.status >= 200, answer.status != 204, answer.status != 304 else { return answer }
            if answer["Transfer-Encoding"] == "chunked" {
                while let piece = try readChunk() { answer.body += piece }
            } else if let length = answer["Content-Length"].flatMap({ Int($0) }) {
                answer.body = try take(length)
            } else {
                answer.body = try takeAll()
            }
            return answer
        }
    }

    /// Reads the head of a response, whose body ``chunk()`` reads.
    package func head() async throws -> Answer {
        try await perform { [self] in try readHead() }
    }

    /// Reads the next chunk; nil at the end.
    package func chunk() async throws -> [UInt8]? {
        try await perform { [self] in try readChunk() }
    }

    /// Reads a number of bytes.
    package func bytes(_ count: Int) async throws -> [UInt8] {
        try await perform { try self.take(count) }
    }

    /// Reads until the other end closes.
    package func rest() async throws -> [UInt8] {
        try await perform { [self] in try takeAll() }
    }

    /// Whether the other end closes without sending more.
    package func isEnded() async throws -> Bool {
        try await perform { [self] in
            do {
                return try takeAll().isEmpty
            } catch let failure as Failure where failure.description == "receive: \(ECONNRESET)" {
                return true
            }
        }
    }

    private func readHead() throws -> Answer {
        var lines: [String] = []
        while true {
            let line = try readLine()
            if line.isEmpty { break }
            lines.append(line)
        }
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw Failure(description: "no answer: \(lines)")
        }
        let fields = lines.dropFirst().map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (
                name: String(line[..<colon]),
                value: line[colon...].dropFirst().trimmingCharacters(in: .whitespaces)
            )
        }
        return Answer(status: status, fields: fields, body: [])
    }

    private func readChunk() throws -> [UInt8]? {
        let line = try readLine()
        guard let size = Int(line, radix: 16) else { throw Failure(description: "no chunk: \(line)") }
        let bytes = try take(size)
        guard try readLine().isEmpty else { throw Failure(description: "no end of a chunk") }
        return size == 0 ? nil : bytes
    }

    private func readLine() throws -> String {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeSubrange(...end)
                guard line.utf8.last == UInt8(ascii: "\r") else { throw Failure(description: "no CR: \(line)") }
                return String(line.unicodeScalars.dropLast())
            }
            guard try fill() else { throw Failure(description: "ended within a line: \(buffer.count) bytes") }
        }
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw Failure(description: "ended \(count - buffer.count) bytes early") }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    private func takeAll() throws -> [UInt8] {
        while try fill() {}
        defer { buffer = [] }
        return buffer
    }

    private func fill() throws -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(descriptor, &piece, piece.count, 0)
        guard count >= 0 else { throw Failure(description: "receive: \(errno)") }
        buffer += piece[..<count]
        return count > 0
    }
}
