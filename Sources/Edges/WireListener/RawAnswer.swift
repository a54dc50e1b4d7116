import CLinux
import Glibc
import WireHTTP

/// Responses written directly where the library cannot, after which the connection is closed.
package enum RawAnswer {
    static func bytes(_ response: Response) -> [UInt8] {
        let body: [UInt8] =
            switch response.body {
            case .bytes(let bytes): bytes
            case .shared(let shared): shared.bytes
            case .stream, .upgrade: []
            }
        var head = "HTTP/1.1 \(response.status.code) \(response.status.phrase)\r\n"
        for field in response.fields.all where !field.value.utf8.contains(where: { $0 < 0x20 }) {
            head += "\(field.name): \(field.value)\r\n"
        }
        head += "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        return Array(head.utf8) + body
    }

    /// Sends what fits without waiting, then shuts down writing.
    static func send(_ bytes: [UInt8], to descriptor: Int32) {
        _ = sendNow(bytes, to: descriptor)
        shutdown(descriptor, Int32(SHUT_WR))
    }

    static func sendNow(_ bytes: [UInt8], to descriptor: Int32) -> Int {
        unsafe bytes.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, corewire_at_once) }
    }

    /// Reads and drops available bytes; returns true at the end of the stream.
    package static func readAway(_ descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        for _ in 0..<16 {
            let count = unsafe recv(descriptor, &buffer, buffer.count, corewire_at_once)
            if count == 0 { return true }
            if count < 0 { return errno != EAGAIN && errno != EINTR }
        }
        return false
    }
}
