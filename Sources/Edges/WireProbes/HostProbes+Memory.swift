import Glibc
import WireBase
package import WireService

extension HostProbes {
    package func mappings() throws(ProbeFailure) -> [SeenMapping] {
        try Mapping.all().map { mapping in
            SeenMapping(
                path: mapping.path,
                isWritable: mapping.isWritable,
                isExecutable: mapping.isExecutable,
                isDeleted: mapping.isDeleted
            )
        }
    }

    package func function(_ name: String) throws(ProbeFailure) -> SeenFunction? {
        // Looked up as the program's own calls are: in the order in which libraries were loaded.
        guard let symbol = unsafe dlsym(nil, name) else { return nil }
        let address = UInt(bitPattern: symbol)
        guard let mapping = try Mapping.all().first(where: { $0.addresses.contains(address) }) else {
            throw ProbeFailure("/proc/self/maps does not have \(name)")
        }
        guard !mapping.path.isEmpty, !mapping.isDeleted else {
            return SeenFunction(library: mapping.path, isUntouched: false)
        }
        let here = (0..<Self.beginning).map { unsafe symbol.load(fromByteOffset: $0, as: UInt8.self) }
        let place = mapping.offset + Int(address - mapping.addresses.lowerBound)
        let there = try Self.bytes(Self.beginning, at: place, of: mapping.path)
        return SeenFunction(library: mapping.path, isUntouched: here == there)
    }

    /// How many bytes of a function are compared: whoever leads it elsewhere needs most of them for the way.
    private static let beginning = 12

    private static func bytes(_ count: Int, at offset: Int, of path: String) throws(ProbeFailure) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ProbeFailure("\(path): \(KernelText.words())") }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe pread(descriptor, &bytes, count, off_t(offset)) == count else {
            throw ProbeFailure("\(path) is shorter than what was loaded of it")
        }
        return bytes
    }
}

/// A line of /proc/self/maps.
struct Mapping {
    let addresses: Range<UInt>
    let isWritable: Bool
    let isExecutable: Bool
    let offset: Int
    let path: String
    let isDeleted: Bool

    static func all() throws(ProbeFailure) -> [Mapping] {
        let text = try KernelText.read("/proc/self/maps")
        let mappings = text.split(separator: "\n").compactMap(Mapping.init)
        guard !mappings.isEmpty else { throw ProbeFailure("/proc/self/maps shows nothing") }
        return mappings
    }

    /// Reads `7f…-7f… r-xp 00026000 fe:00 1234   /usr/lib/libc.so.6`; the name may hold anything.
    private init?(_ line: Substring) {
        let fields = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
        guard fields.count >= 5 else { return nil }
        let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        guard ends.count == 2, ends[0] < ends[1], let offset = Int(fields[2], radix: 16) else { return nil }
        addresses = ends[0]..<ends[1]
        isWritable = fields[1].contains("w")
        isExecutable = fields[1].contains("x")
        self.offset = offset
        let name = fields.count == 6 ? String(fields[5]).trimmed : ""
        let mark = " (deleted)"
        isDeleted = name.hasSuffix(mark)
        path = isDeleted ? String(name.dropLast(mark.count)) : name
    }
}
