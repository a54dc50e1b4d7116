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
    func tracer() throws(ProbeFailure) -> SeenProcess?
    /// Who has started it.
    func parent() throws(ProbeFailure) -> SeenProcess
    /// The names of its threads.
    func threads() throws(ProbeFailure) -> [String]
    /// What is mapped into its memory.
    func mappings() throws(ProbeFailure) -> Set<SeenMapping>
    /// Where those of some functions lie that it has.
    func functions(_ names: [String]) throws(ProbeFailure) -> [String: SeenFunction]
    /// The rights it has.
    func rights() throws(ProbeFailure) -> SeenRights
    /// The walls around it.
    func walls() throws(ProbeFailure) -> Set<Wall>
    /// The environment variables it was started with.
    func variables() -> [String: String]
    /// The program it runs.
    func program() throws(ProbeFailure) -> SeenProgram
    /// What becomes of its memory when it crashes.
    func coreDumps() throws(ProbeFailure) -> SeenCoreDumps
    /// The clock it reads, beside that of the kernel.
    func clock() throws(ProbeFailure) -> SeenClock

    /// From now on only root traces it and reads its memory; there is no way back.
    func denyTracing() throws(ProbeFailure)
    /// From now on it leaves no core dumps; there is no way back.
    func denyCoreDumps() throws(ProbeFailure)
}

/// Looks at the machine around it.
package protocol SystemProbes: Sendable {
    /// What runs here.
    func processes() throws(ProbeFailure) -> SeenProcesses
    /// The TCP ports something listens on.
    func listeningPorts() throws(ProbeFailure) -> Set<Int>
    /// What the machine is besides hardware, with the signs of it.
    func virtualizations() throws(ProbeFailure) -> [(kind: Virtualization, sign: String)]
    /// Whether a protection is on; one the machine does not have is off.
    func protection(_ protection: Protection) throws(ProbeFailure) -> Bool
    /// How far tracing of other processes is restricted (`kernel.yama.ptrace_scope`).
    func tracingScope() throws(ProbeFailure) -> Int
    /// Whether all users may load programs into the kernel.
    func allowsUnprivilegedBPF() throws(ProbeFailure) -> Bool
    /// The interfaces of tunnels that a default route leads through.
    func tunnels() throws(ProbeFailure) -> [String]
    /// The version of the kernel: `6.1.0-38-amd64`.
    func kernelRelease() throws(ProbeFailure) -> String
    /// When a package was last installed or updated, in milliseconds since 1970.
    func lastUpdate() throws(ProbeFailure) -> Int64
    /// Whether the session of the user is locked when nobody is there; nil where the host has nobody at a screen.
    func hasScreenLock() throws(ProbeFailure) -> Bool?
}

/// Looks at files.
package protocol FileProbes: Sendable {
    /// What stands at a path, links not followed; nil where nothing does.
    func file(_ path: String) throws(ProbeFailure) -> SeenFile?
    /// Where a path leads when every link on it is followed.
    func destination(of path: String) throws(ProbeFailure) -> String
    /// What there is under a pattern whose only wildcard is `*`.
    func paths(matching pattern: String) throws(ProbeFailure) -> [String]
    /// Where programs of a name are installed, on `PATH` and in `/opt`.
    func installations(of program: String) throws(ProbeFailure) -> [String]
    /// What the linker has stamped a program with; empty where it has not, or nobody may see it.
    func build(of program: String) -> String
    /// The folders programs are looked for in.
    func programFolders() -> [String]
    /// Whether this process may write there.
    func mayWrite(_ path: String) -> Bool
    /// The SHA-256 of a file.
    func digest(of path: String) throws(ProbeFailure) -> Digest
    /// What a small file says.
    func bytes(of path: String, upTo limit: ByteCount) throws(ProbeFailure) -> [UInt8]
    /// What the disk of a path is, and whether it is encrypted.
    func disk(of path: String) throws(ProbeFailure) -> SeenDisk
}

/// Why something cannot be seen.
package struct ProbeFailure: Error, Sendable {
    /// In words: what, and why not.
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}

extension Ability where Value == any MachineProbes {
    package static var machineProbes: Ability<any MachineProbes> { Ability(Provision(.runner, "probes")) }
}
