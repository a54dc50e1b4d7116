import Glibc
import WireBase
import WireCrypto
import WireSecrets
import WireStore

/// Reads an exported store, as often as wanted: a file, or a copy of standard input that no other process can open.
final class StoreFileReader {
    private let descriptor: Int32
    private let sealer: any Sealer
    private var digest: any RunningDigest
    private(set) var header: StoreFileHeader
    private var buffer: [UInt8] = []
    /// Where the next line in the buffer begins.
    private var place = 0
    /// The number of the last line.
    private var number = 0

    private static let end = Array(#"{"end":"#.utf8)

    /// Opens a file and reads its first line; `-` is standard input, whose copy is in a folder.
    init(_ path: String, copyIn folder: String, sealer: any Sealer) throws(Fault) {
        if path == "-" {
            do throws(Fault) { descriptor = try Self.copyOfInput(in: folder) } catch {
                throw Fault("it cannot be copied to '\(folder)': \(error.reason)", help: "import from a file")
            }
        } else {
            descriptor = try Self.open(path)
        }
        (self.sealer, digest) = (sealer, try OpenSSLSecrecy().begin())
        header = StoreFileHeader(app: "", group: nil, isShared: false, elsewhere: [], key: "", version: 0, time: 0)
        try begin()
    }

    deinit { _ = close(descriptor) }

    private static func open(_ path: String) throws(Fault) -> Int32 {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Files.failure() }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            _ = close(descriptor)
            throw Fault("not a regular file", help: "to read from a pipe, write '-', which is standard input")
        }
        return descriptor
    }

    private static func copyOfInput(in folder: String) throws(Fault) -> Int32 {
        let path = "\(folder)/import.\(String(UInt64.random(in: 0 ... .max), radix: 36)).new"
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Files.failure() }
        _ = unsafe unlink(path)
        while case let piece = try read(STDIN_FILENO), !piece.isEmpty {
            var rest = piece[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno != EINTR { throw Files.failure() }
                rest = rest.dropFirst(max(0, count))
            }
        }
        return descriptor
    }

    // MARK: Rows

    /// Reads the first line, and returns to it.
    func begin() throws(Fault) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Files.failure() }
        (buffer, place, number) = ([], 0, 0)
        digest = try OpenSSLSecrecy().begin()
        guard let line = try line() else { throw Fault("it is empty") }
        header = try StoreFileHeader(try StoreFileLine(line, number))
        add(line)
    }

    /// The next rows; empty after the last ones, once the file was found to be the one that was written.
    func next() throws(Fault) -> [StoreRow] {
        var (rows, weight) = ([StoreRow](), 0)
        while rows.count < StoreRow.most.count, weight < StoreRow.most.size.bytes {
            guard let line = try line() else { throw Self.incomplete }
            if line.starts(with: Self.end) {
                if !rows.isEmpty {
                    // Read again, once these rows were taken.
                    place -= line.count + 1
                    number -= 1
                    return rows
                }
                guard let sum = digest.value?.bytes else { throw Fault("the digest failed") }
                try StoreFileSeal.check(try StoreFileLine(line, number), of: sum, by: sealer)
                guard try self.line() == nil else { throw StoreFileSeal.changed }
                return []
            }
            let row = try StoreRow(try StoreFileLine(line, number), upTo: header.version)
            add(line)
            // The whole line: until the last one was checked, its names may be of any length.
            weight += line.count
            rows.append(row)
        }
        return rows
    }

    private func add(_ line: [UInt8]) { digest.add(line + [UInt8(ascii: "\n")]) }

    private static let incomplete = Fault(
        "it is incomplete: its last line is missing",
        help: "use a whole copy of the file, or export the store again"
    )

    // MARK: Lines

    /// The next line without its end; nil at the end of the file.
    private func line() throws(Fault) -> [UInt8]? {
        var searched = place
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { place = end + 1 }
                number += 1
                return Array(buffer[place..<end])
            }
            searched = buffer.count - place
            buffer.removeFirst(place)
            place = 0
            guard buffer.count <= StoreFileLine.size.bytes else {
                throw Fault("line \(number + 1) is too long", help: StoreFileSeal.changed.help)
            }
            let piece = try Self.read(descriptor)
            if piece.isEmpty {
                guard buffer.isEmpty else { throw Self.incomplete }
                return nil
            }
            buffer += piece
        }
    }

    private static func read(_ descriptor: Int32) throws(Fault) -> [UInt8] {
        var found = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, filled in
            repeat {
                found = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            } while found < 0
                && errno == EINTR
            filled = max(0, found)
        }
        guard found >= 0 else { throw Files.failure() }
        return bytes
    }
}
