import Glibc

/// An open file of this process, closed when it is let go.
package struct Descriptor: ~Copyable, Sendable {
    package let number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    deinit { _ = close(number) }

    /// Writes all bytes, waiting where a reader is slow; false when nobody will ever read them.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(number, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Somebody who shares the file made it non-blocking.
                var poll = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = unsafe Glibc.poll(&poll, 1, -1)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}
