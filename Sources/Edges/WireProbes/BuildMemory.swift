import Glibc
import Synchronization
import WireBase

/// Caches the build-ids of programs: a copy under another name has the same one.
final class BuildMemory: Sendable {
    private struct Key: Hashable { let device: UInt, file: UInt, changed: Int }
    private let known = Mutex<[String: (key: Key, build: String)]>([:])

    /// Returns the build-id of a running program; empty for none, or without permission.
    func build(of program: String, throughProcess id: Int32) -> String {
        // The kernel's link refers to the running file, even if its path now has another one.
        build(at: "/proc/\(id)/exe", named: program)
    }

    /// Returns the build-id of an installed program.
    func build(of path: String) -> String { build(at: path, named: path) }

    private func build(at path: String, named name: String) -> String {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return "" }
        let key = Key(
            device: UInt(status.st_dev),
            file: UInt(status.st_ino),
            changed: Int(status.st_mtim.tv_sec)
        )
        if let former = known.withLock({ $0[name] }), former.key == key { return former.build }
        let build = ELFBuild.read(path)
        known.withLock { $0[name] = (key, build) }
        return build
    }

    /// Removes the entries of all other programs, except for installed ones.
    func forgetOthers(than programs: Set<String>) {
        known.withLock { known in
            guard known.count > 2 * programs.count + 256 else { return }
            known = known.filter { programs.contains($0.key) }
        }
    }
}

/// The build-id of an ELF file (System V ABI; the note NT_GNU_BUILD_ID).
enum ELFBuild {
    /// Returns the build-id in hexadecimal; empty for a file without one.
    static func read(_ path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { _ = close(descriptor) }
        let header = bytes(64, at: 0, of: descriptor)
        // 64-bit and little-endian only.
        guard header.count == 64, header.starts(with: [0x7f, 0x45, 0x4c, 0x46, 2, 1]) else { return "" }
        let (table, size, count) = (number(header, 32, 8), number(header, 54, 2), number(header, 56, 2))
        guard size >= 56, count <= 256, table > 0, table < 1 << 40 else { return "" }
        let entries = bytes(size * count, at: table, of: descriptor)
        guard entries.count == size * count else { return "" }
        for index in 0..<count {
            let entry = Array(entries[index * size..<(index + 1) * size])
            // PT_NOTE
            guard number(entry, 0, 4) == 4 else { continue }
            let (offset, length) = (number(entry, 8, 8), number(entry, 32, 8))
            guard length <= 65_536, offset < 1 << 40 else { continue }
            if let build = note(in: bytes(length, at: offset, of: descriptor)) { return build }
        }
        return ""
    }

    private static func note(in bytes: [UInt8]) -> String? {
        var place = 0
        while place + 12 <= bytes.count {
            let (name, size, type) = (number(bytes, place, 4), number(bytes, place + 4, 4), number(bytes, place + 8, 4))
            let content = place + 12 + (name + 3) / 4 * 4
            guard name <= 256, size <= 256, content + size <= bytes.count else { return nil }
            if type == 3, name == 4, Array(bytes[place + 12..<place + 16]) == Array("GNU\0".utf8) {
                return Hexadecimal.text(of: Array(bytes[content..<content + size]))
            }
            place = content + (size + 3) / 4 * 4
        }
        return nil
    }

    private static func number(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> Int {
        guard offset + size <= bytes.count else { return 0 }
        let value = (0..<size).reduce(UInt64(0)) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
        return Int(clamping: value)
    }

    private static func bytes(_ count: Int, at offset: Int, of descriptor: Int32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe pread(descriptor, &bytes, count, off_t(offset))
        return Array(bytes.prefix(max(0, read)))
    }
}
