import Glibc

/// An open file descriptor, closed when it is released.
package struct Descriptor: ~Copyable, Sendable {
    package let number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    deinit { _ = close(number) }

    /// Writes all bytes, waiting for a slow reader; returns false where the reader is gone.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process sharing the file has made it non-blocking.
                var poll = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = unsafe Glibc.poll(&poll, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
