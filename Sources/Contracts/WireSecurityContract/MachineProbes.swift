package import WireBase
import WireConfig
package import WireSecrets
package import WireService

/// Looks at this machine and this process for what must not be there.
///
/// What is seen is told as it is; what it means is for the rules of the file to say. Whatever cannot be seen is a
/// failure, never an absence.
package protocol MachineProbes: OwnProcessProbes, SystemProbes, FileProbes {}

/// Looks at this process.
package protocol OwnProcessProbes: Sendable {
    /// Who traces it; nil where nobody does.
    func tracer() throws(Fault) -> SeenProcess?
    /// Who has started it.
    func parent() throws(Fault) -> SeenProcess
    /// The names of its threads.
    func threads() throws(Fault) -> [String]
    /// What is mapped into its memory.
    func mappings() throws(Fault) -> Set<SeenMapping>
    /// Where those of some functions lie that it has.
    func functions(_ names: [String]) throws(Fault) -> [String: SeenFunction]
    /// The rights it has.
    func rights() throws(Fault) -> SeenRights
    /// The walls around it.
    func walls() throws(Fault) -> Set<Wall>
    /// The environment variables it was started with.
    func variables() -> [String: String]
    /// The program it runs.
    func program() throws(Fault) -> SeenProgram
    /// What becomes of its memory when it crashes.
    func coreDumps() throws(Fault) -> SeenCoreDumps
    /// The clock it reads, beside that of the kernel.
    func clock() throws(Fault) -> SeenClock

    /// From now on only root traces it and reads its memory; there is no way back.
    func denyTracing() throws(Fault)
    /// From now on it leaves no core dumps; there is no way back.
    func denyCoreDumps() throws(Fault)
}

/// Looks at the machine around it.
package protocol SystemProbes: Sendable {
    /// What runs here.
    func processes() throws(Fault) -> SeenProcesses
    /// The TCP ports something listens on.
    func listeningPorts() throws(Fault) -> Set<Int>
    /// What the machine is besides hardware, with the signs of it.
    func virtualizations() throws(Fault) -> [(kind: Virtualization, sign: String)]
    /// Whether a protection is on; one the machine does not have is off.
    func protection(_ protection: Protection) throws(Fault) -> Bool
    /// How far tracing of other processes is restricted (`kernel.yama.ptrace_scope`).
    func tracingScope() throws(Fault) -> Int
    /// Whether all users may load programs into the kernel.
    func allowsUnprivilegedBPF() throws(Fault) -> Bool
    /// The interfaces of tunnels that a default route leads through.
    func tunnels() throws(Fault) -> [String]
    /// The version of the kernel: `6.1.0-38-amd64`.
    func kernelRelease() throws(Fault) -> String
    /// When a package was last installed or updated, in milliseconds since 1970.
    func lastUpdate() throws(Fault) -> Int64
    /// Whether the session of the user is locked when nobody is there; nil where the host has nobody at a screen.
    func hasScreenLock() throws(Fault) -> Bool?
}

/// Looks at files.
package protocol FileProbes: Sendable {
    /// What stands at a path, links not followed; nil where nothing does.
    func file(_ path: String) throws(Fault) -> SeenFile?
    /// Where a path leads when every link on it is followed.
    func destination(of path: String) throws(Fault) -> String
    /// What there is under a pattern whose only wildcard is `*`.
    func paths(matching pattern: String) throws(Fault) -> [String]
    /// Where programs of a name are installed, on `PATH` and in `/opt`.
    func installations(of program: String) throws(Fault) -> [String]
    /// What the linker has stamped a program with; empty where it has not, or nobody may see it.
    func build(of program: String) -> String
    /// The folders programs are looked for in.
    func programFolders() -> [String]
    /// Whether this process may write there.
    func mayWrite(_ path: String) -> Bool
    /// The SHA-256 of a file.
    func digest(of path: String) throws(Fault) -> Digest
    /// What a small file says.
    func bytes(of path: String, upTo limit: ByteCount) throws(Fault) -> [UInt8]
    /// What the disk of a path is, and whether it is encrypted.
    func disk(of path: String) throws(Fault) -> SeenDisk
}

extension Ability where Value == any MachineProbes {
    package static var machineProbes: Ability<any MachineProbes> { Ability(Provision(.runner, "probes")) }
}
