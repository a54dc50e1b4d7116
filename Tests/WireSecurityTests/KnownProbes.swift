import WireBase
import WireSecrets
import WireSecurityContract

/// What a test lets be seen, and nothing else: all the rest is hidden, as where /proc and /sys are.
struct KnownProbes: MachineProbes {
    /// What is mapped into the memory of the process.
    var mapped: Set<SeenMapping>?
    /// What files say, by their paths; all others are absent.
    var texts: [String: String]?
    var release: String?
    /// When packages were last updated.
    var updated: Int64?

    private func seen<Value>(_ value: Value?) throws(Fault) -> Value {
        guard let value else { return try Self.nothing() }
        return value
    }

    private static func nothing<Value>() throws(Fault) -> Value { throw Fault("it is hidden") }

    func tracer() throws(Fault) -> SeenProcess? { try Self.nothing() }
    func parent() throws(Fault) -> SeenProcess { try Self.nothing() }
    func threads() throws(Fault) -> [String] { try Self.nothing() }
    func mappings() throws(Fault) -> Set<SeenMapping> { try seen(mapped) }
    func functions(_ names: [String]) throws(Fault) -> [String: SeenFunction] { try Self.nothing() }
    func rights() throws(Fault) -> SeenRights { try Self.nothing() }
    func walls() throws(Fault) -> Set<Wall> { try Self.nothing() }
    func variables() -> [String: String] { [:] }
    func program() throws(Fault) -> SeenProgram { try Self.nothing() }
    func coreDumps() throws(Fault) -> SeenCoreDumps { try Self.nothing() }
    func clock() throws(Fault) -> SeenClock { try Self.nothing() }
    func denyTracing() throws(Fault) { throw Fault("it is hidden") }
    func denyCoreDumps() throws(Fault) { throw Fault("it is hidden") }
    func processes() throws(Fault) -> SeenProcesses { try Self.nothing() }
    func listeningPorts() throws(Fault) -> Set<Int> { try Self.nothing() }
    func virtualizations() throws(Fault) -> [(kind: Virtualization, sign: String)] { try Self.nothing() }
    func protection(_ protection: Protection) throws(Fault) -> Bool { try Self.nothing() }
    func tracingScope() throws(Fault) -> Int { try Self.nothing() }
    func allowsUnprivilegedBPF() throws(Fault) -> Bool { try Self.nothing() }
    func tunnels() throws(Fault) -> [String] { try Self.nothing() }
    func kernelRelease() throws(Fault) -> String { try seen(release) }
    func lastUpdate() throws(Fault) -> Int64 { try seen(updated) }
    func hasScreenLock() throws(Fault) -> Bool? { try Self.nothing() }

    func file(_ path: String) throws(Fault) -> SeenFile? {
        guard let text = try seen(texts)[path] else { return nil }
        return SeenFile(kind: .file, owner: 0, group: 0, mode: 0o644, size: text.utf8.count, changed: 0)
    }

    func destination(of path: String) throws(Fault) -> String { try Self.nothing() }
    func paths(matching pattern: String) throws(Fault) -> [String] { try Self.nothing() }
    func installations(of program: String) throws(Fault) -> [String] { try Self.nothing() }
    func build(of program: String) -> String { "" }
    func programFolders() -> [String] { [] }
    func mayWrite(_ path: String) -> Bool { false }
    func digest(of path: String) throws(Fault) -> Digest { try Self.nothing() }

    func bytes(of path: String, upTo limit: ByteCount) throws(Fault) -> [UInt8] {
        let bytes = Array(try seen(try seen(texts)[path]).utf8)
        guard bytes.count <= limit.bytes else { throw Fault("it is too long") }
        return bytes
    }

    func disk(of path: String) throws(Fault) -> SeenDisk { try Self.nothing() }
}
