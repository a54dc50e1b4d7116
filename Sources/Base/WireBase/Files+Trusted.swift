import Glibc

extension Files {
    /// Identifies the content of a file without reading it.
    package struct Identity: Sendable, Hashable {
        let device: UInt64
        let number: UInt64
        let size: Int64
        /// The time of the last change in nanoseconds.
        let changed: Int64
    }

    /// Returns the identity of the file at a path; nil for none.
    package static func identity(of path: String) -> Identity? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Identity(status) : nil
    }

    /// Reads a regular file that is not writable for all users; returns its bytes and identity.
    ///
    /// Never blocks: the kind of the file is checked once it is open.
    package static func readTrusted(_ path: String, upTo limit: ByteCount) throws(Fault) -> ([UInt8], Identity) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Fault(words(errno)) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Fault(words(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw Fault("not a regular file") }
        guard status.st_mode & S_IWOTH == 0 else { throw Fault("all users may write to it") }
        var bytes = [UInt8](repeating: 0, count: limit.bytes + 1)
        var length = 0
        while length < bytes.count {
            let count = unsafe bytes[length...].withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Fault(words(errno)) }
            if count == 0 { break }
            length += count
        }
        guard length <= limit.bytes else { throw Fault("it is larger than \(limit)") }
        return (Array(bytes[..<length]), Identity(status))
    }

    private static func words(_ number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        _ = unsafe strerror_r(number, &buffer, buffer.count)
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

extension Files.Identity {
    init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        changed = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
    }
}
