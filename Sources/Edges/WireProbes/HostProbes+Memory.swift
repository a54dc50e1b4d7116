import Glibc
package import WireBase
package import WireSecurityContract

extension HostProbes {
    package func mappings() throws(Fault) -> Set<SeenMapping> {
        Set(
            try Mapping.all().map { mapping in
                SeenMapping(
                    path: mapping.path,
                    isWritable: mapping.isWritable,
                    isExecutable: mapping.isExecutable,
                    isDeleted: mapping.isDeleted
                )
            }
        )
    }

    package func functions(_ names: [String]) throws(Fault) -> [String: SeenFunction] {
        let mappings = try Mapping.all()
        var found: [String: SeenFunction] = [:]
        for name in names { found[name] = try Self.function(name, in: mappings) }
        return found
    }

    private static func function(_ name: String, in mappings: [Mapping]) throws(Fault) -> SeenFunction? {
        // Looked up like the program's own calls, in the order in which libraries were loaded.
        guard let symbol = unsafe dlsym(nil, name) else { return nil }
        let address = UInt(bitPattern: symbol)
        guard let mapping = mappings.first(where: { $0.addresses.contains(address) }) else {
            throw Fault("/proc/self/maps does not have \(name)")
        }
        guard !mapping.path.isEmpty, !mapping.isDeleted else {
            return SeenFunction(library: mapping.path, isUntouched: false)
        }
        let here = (0..<Self.beginning).map { unsafe symbol.load(fromByteOffset: $0, as: UInt8.self) }
        let place = mapping.offset + Int(address - mapping.addresses.lowerBound)
        let there = try Self.bytes(Self.beginning, at: place, of: mapping.path)
        return SeenFunction(library: mapping.path, isUntouched: here == there)
    }

    /// The number of bytes of a function that are compared: a hook needs most of them for its jump.
    private static let beginning = 12

    private static func bytes(_ count: Int, at offset: Int, of path: String) throws(Fault) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Fault("\(path): \(KernelText.words())") }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe pread(descriptor, &bytes, count, off_t(offset)) == count else {
            throw Fault("\(path) is shorter than its loaded part")
        }
        return bytes
    }
}
