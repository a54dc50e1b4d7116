import Foundation
import Synchronization
import Testing
import WireBase
package import WireHTTP

extension HTTPClient {
    /// The status and the whole body, as text.
    package func text(_ request: OutgoingRequest) async throws -> (status: Int, text: String) {
        let answer = try await send(request)
        let bytes = try await answer.body.collect(upTo: .mebibytes(16))
        return (answer.status.code, String(decoding: bytes, as: UTF8.self))
    }

    /// The failure of a request, before or after the head of its response.
    package func failure(of request: OutgoingRequest) async throws -> TransferFailure {
        do {
            let answer = try await text(request)
            throw Unexpected(status: answer.status, bytes: answer.text.utf8.count)
        } catch let failure as TransferFailure {
            return failure
        }
    }
}

/// A response where a failure was expected.
package struct Unexpected: Error {
    let status: Int
    let bytes: Int
}

extension HostileServer {
    package func get(_ path: String, _ query: KeyValuePairs<String, String> = [:]) -> OutgoingRequest {
        request(.get, path, query)
    }

    package func post(
        _ path: String,
        _ query: KeyValuePairs<String, String> = [:],
        sending body: OutgoingRequest.Body
    ) -> OutgoingRequest {
        var request = request(.post, path, query)
        request.body = body
        return request
    }

    /// A request without a timeout, for slow machines.
    private func request(
        _ method: WireHTTP.Method,
        _ path: String,
        _ query: KeyValuePairs<String, String>
    ) -> OutgoingRequest {
        var request = OutgoingRequest(method, base + path + Self.query(query))
        request.connectTimeout = .seconds(3_600)
        request.headTimeout = .seconds(3_600)
        request.idleTimeout = .seconds(3_600)
        return request
    }

    package static func query(_ items: KeyValuePairs<String, String>) -> String {
        let pairs = items.map { name, value in
            let safe = value.utf8.map { byte in
                byte.isLetter || byte.isDigit
                    ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return "\(name)=\(safe.joined())"
        }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}

/// What `/echo` received.
package struct Seen: Decodable {
    package let method: String
    package let target: String
    package let fields: [[String]]
    package let connection: Int
    package let length: Int
    package let body: String

    package init(_ text: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(text.utf8))
    }

    package subscript(name: String) -> String? {
        fields.first { $0[0].lowercased() == name.lowercased() }?[1]
    }
}

/// A body of given parts that counts its reads.
package final class Parts: BodyReader {
    private let parts: Mutex<[[UInt8]]>

    package init(_ parts: [[UInt8]]) {
        self.parts = Mutex(parts.reversed())
    }

    package func read() async throws -> [UInt8]? {
        parts.withLock { $0.popLast() }
    }
}

/// A body of numbered bytes in parts of a given size, which counts the bytes that were read.
package final class Numbered: BodyReader {
    private let left: Mutex<(offset: Int, end: Int)>
    private let part: Int
    private let block: [UInt8]

    package init(_ count: Int, by part: Int) {
        left = Mutex((0, count))
        self.part = part
        block = (0..<part + 251).map { UInt8($0 % 251) }
    }

    package var taken: Int { left.withLock { $0.offset } }

    package func read() async throws -> [UInt8]? {
        left.withLock { left in
            let count = min(part, left.end - left.offset)
            guard count > 0 else { return nil }
            defer { left.offset += count }
            let start = left.offset % 251
            return Array(block[start..<start + count])
        }
    }
}

/// A body that yields what a test passes to it, and waits for that.
package final class Fed: BodyReader {
    private let stream: AsyncStream<[UInt8]>
    package let feed: AsyncStream<[UInt8]>.Continuation

    package init() {
        (stream, feed) = AsyncStream.makeStream()
    }

    package func read() async throws -> [UInt8]? {
        for await part in stream { return part }
        return nil
    }
}
