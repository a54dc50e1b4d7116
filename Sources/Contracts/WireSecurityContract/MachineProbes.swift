package import WireBase
import WireConfig
package import WireSecrets
package import WireService

/// Examines this machine and this process for security rules.
///
/// Probes report facts; the rules of the file interpret them. Facts that cannot be determined are a failure, never an
/// absence.
package protocol MachineProbes: OwnProcessProbes, SystemProbes, FileProbes {}

/// Examines this process.
package protocol OwnProcessProbes: Sendable {
    /// The tracing process; nil where there is none.
    func tracer() throws(Fault) -> SeenProcess?
    /// The parent process.
    func parent() throws(Fault) -> SeenProcess
    /// The names of the threads.
    func threads() throws(Fault) -> [String]
    /// The memory mappings.
    func mappings() throws(Fault) -> Set<SeenMapping>
    /// The addresses of the given functions, where the process has them.
    func functions(_ names: [String]) throws(Fault) -> [String: SeenFunction]
    /// The privileges of the process.
    func rights() throws(Fault) -> SeenRights
    /// The active sandboxing mechanisms.
    func walls() throws(Fault) -> Set<Wall>
    /// The environment variables at the start.
    func variables() -> [String: String]
    /// The executable.
    func program() throws(Fault) -> SeenProgram
    /// Whether a crash can produce a core dump.
    func coreDumps() throws(Fault) -> SeenCoreDumps
    /// The clock of the C library and that of the kernel.
    func clock() throws(Fault) -> SeenClock

    /// Prevents other users than root from tracing the process and reading its memory; irreversible.
    func denyTracing() throws(Fault)
    /// Disables core dumps; irreversible.
    func denyCoreDumps() throws(Fault)
}

/// Examines the machine.
package protocol SystemProbes: Sendable {
    /// The running processes.
    func processes() throws(Fault) -> SeenProcesses
    /// The listening TCP ports.
    func listeningPorts() throws(Fault) -> Set<Int>
    /// The detected kinds of virtualization, with their indications.
    func virtualizations() throws(Fault) -> [(kind: Virtualization, sign: String)]
    /// Whether a protection is active; false where the machine does not have it.
    func protection(_ protection: Protection) throws(Fault) -> Bool
    /// The restriction of tracing (`kernel.yama.ptrace_scope`).
    func tracingScope() throws(Fault) -> Int
    /// Whether unprivileged users may load BPF programs.
    func allowsUnprivilegedBPF() throws(Fault) -> Bool
    /// The tunnel interfaces with a default route.
    func tunnels() throws(Fault) -> [String]
    /// The kernel release: `6.1.0-38-amd64`.
    func kernelRelease() throws(Fault) -> String
    /// The time of the last package installation or update, in milliseconds since 1970.
    func lastUpdate() throws(Fault) -> Int64
    /// Whether the user's session locks when idle; nil on a host without a graphical session.
    func hasScreenLock() throws(Fault) -> Bool?
}

/// Examines files.
package protocol FileProbes: Sendable {
    /// The file at a path, without following links; nil where there is none.
    func file(_ path: String) throws(Fault) -> SeenFile?
    /// The path with all links resolved.
    func destination(of path: String) throws(Fault) -> String
    /// The paths that match a pattern with `*` as the only wildcard.
    func paths(matching pattern: String) throws(Fault) -> [String]
    /// The installations of a program, on `PATH` and in `/opt`.
    func installations(of program: String) throws(Fault) -> [String]
    /// The build id of a program; empty where it has none or cannot be read.
    func build(of program: String) -> String
    /// The folders searched for programs.
    func programFolders() -> [String]
    /// Whether this process has write permission.
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
