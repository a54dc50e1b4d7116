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

    private func seen<Value>(_ value: Value?) throws(ProbeFailure) -> Value {
        guard let value else { return try Self.nothing() }
        return value
    }

    private static func nothing<Value>() throws(ProbeFailure) -> Value { throw ProbeFailure("it is hidden") }

    func tracer() throws(ProbeFailure) -> SeenProcess? { try Self.nothing() }
    func parent() throws(ProbeFailure) -> SeenProcess { try Self.nothing() }
    func threads() throws(ProbeFailure) -> [String] { try Self.nothing() }
    func mappings() throws(ProbeFailure) -> Set<SeenMapping> { try seen(mapped) }
    func functions(_ names: [String]) throws(ProbeFailure) -> [String: SeenFunction] { try Self.nothing() }
    func rights() throws(ProbeFailure) -> SeenRights { try Self.nothing() }
    func walls() throws(ProbeFailure) -> Set<Wall> { try Self.nothing() }
    func variables() -> [String: String] { [:] }
    func program() throws(ProbeFailure) -> SeenProgram { try Self.nothing() }
    func coreDumps() throws(ProbeFailure) -> SeenCoreDumps { try Self.nothing() }
    func clock() throws(ProbeFailure) -> SeenClock { try Self.nothing() }
    func denyTracing() throws(ProbeFailure) { throw ProbeFailure("it is hidden") }
    func denyCoreDumps() throws(ProbeFailure) { throw ProbeFailure("it is hidden") }
    func processes() throws(ProbeFailure) -> SeenProcesses { try Self.nothing() }
    func listeningPorts() throws(ProbeFailure) -> Set<Int> { try Self.nothing() }
    func virtualizations() throws(ProbeFailure) -> [(kind: Virtualization, sign: String)] { try Self.nothing() }
    func protection(_ protection: Protection) throws(ProbeFailure) -> Bool { try Self.nothing() }
    func tracingScope() throws(ProbeFailure) -> Int { try Self.nothing() }
    func allowsUnprivilegedBPF() throws(ProbeFailure) -> Bool { try Self.nothing() }
    func tunnels() throws(ProbeFailure) -> [String] { try Self.nothing() }
    func kernelRelease() throws(ProbeFailure) -> String { try seen(release) }
    func lastUpdate() throws(ProbeFailure) -> Int64 { try seen(updated) }
    func hasScreenLock() throws(ProbeFailure) -> Bool? { try Self.nothing() }

    func file(_ path: String) throws(ProbeFailure) -> SeenFile? {
        guard let text = try seen(texts)[path] else { return nil }
        return SeenFile(kind: .file, owner: 0, group: 0, mode: 0o644, size: text.utf8.count, changed: 0)
    }

    func destination(of path: String) throws(ProbeFailure) -> String { try Self.nothing() }
    func paths(matching pattern: String) throws(ProbeFailure) -> [String] { try Self.nothing() }
    func installations(of program: String) throws(ProbeFailure) -> [String] { try Self.nothing() }
    func build(of program: String) -> String { "" }
    func programFolders() -> [String] { [] }
    func mayWrite(_ path: String) -> Bool { false }
    func digest(of path: String) throws(ProbeFailure) -> Digest { try Self.nothing() }

    func bytes(of path: String, upTo limit: ByteCount) throws(ProbeFailure) -> [UInt8] {
        let bytes = Array(try seen(try seen(texts)[path]).utf8)
        guard bytes.count <= limit.bytes else { throw ProbeFailure("it is too long") }
        return bytes
    }

    func disk(of path: String) throws(ProbeFailure) -> SeenDisk { try Self.nothing() }
}
