import Glibc
import WireBase
import WireSecurityContract

/// Reads files of the kernel.
enum KernelText {
    /// Returns the text of a file, or throws the reason.
    static func read(_ path: String) throws(Fault) -> String {
        String(decoding: try bytes(of: path), as: UTF8.self)
    }

    /// Returns the bytes of a file.
    static func bytes(of path: String) throws(Fault) -> [UInt8] {
        try bytes(of: path, upTo: .mebibytes(16))
    }

    /// The bytes of any file; a fault that names it where it cannot be read.
    static func bytes(of path: String, upTo limit: ByteCount, onlyRegular: Bool = false) throws(Fault) -> [UInt8] {
        try Fault.rethrowing(after: path, try Files.read(path, upTo: limit, onlyRegular: onlyRegular))
    }

    /// Returns the first page of a file; nil where it cannot be read.
    ///
    /// For short files that each of hundreds of processes has.
    static func beginning(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        return unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
            let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            return count < 0 ? nil : unsafe String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    /// Returns the text of a file; nil where this kernel does not have it.
    static func readIfThere(_ path: String) throws(Fault) -> String? {
        guard unsafe access(path, F_OK) == 0 else {
            // Without /proc and /sys the state is unknown.
            let root = path.split(separator: "/").first.map { "/\($0)" } ?? "/"
            guard !Files.names(in: root).isEmpty else { throw Fault("\(root) is empty") }
            return nil
        }
        return try read(path)
    }

    /// Reads a whole number.
    static func number(_ path: String) throws(Fault) -> Int {
        let text = try read(path)
        guard let number = Int(text.split(whereSeparator: \.isWhitespace).first ?? "") else {
            throw Fault("\(path): not a number")
        }
        return number
    }

    /// Returns the value of a line `Name:  value`.
    static func field(_ name: String, of path: String) throws(Fault) -> String {
        guard let value = field(name, in: try read(path)) else { throw Fault("\(path): no \(name)") }
        return value
    }

    static func field(_ name: String, in text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) && line.dropFirst(name.count).first == ":" {
            return String(line.dropFirst(name.count + 1)).trimmed
        }
        return nil
    }

    /// Returns the target of a kernel link; nil without permission.
    static func link(_ path: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { buffer in
            guard let text = buffer.baseAddress else { return nil }
            let count = unsafe readlink(path, text, buffer.count)
            guard count >= 0 else { return nil }
            return unsafe String(decoding: UnsafeRawBufferPointer(buffer)[..<count], as: UTF8.self)
        }
    }

    /// Returns the system's text for the last error.
    static func words(_ number: Int32 = errno) -> String {
        let text = unsafe String(cString: strerror(number))
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}

extension String {
    /// The text without surrounding white space.
    var trimmed: String {
        let bytes = utf8.drop(while: \.isSpace)
        let end = bytes.lastIndex { !$0.isSpace }
        return end.map { String(self[bytes.startIndex...$0]) } ?? ""
    }
}
