package import WireSecrets
import WireSecurityContract

/// Reads the state of this machine from /proc, /sys and the kernel, and the state of this process.
package struct HostProbes: MachineProbes {
    /// The environment at the start of the process, since its own later changes are no attack.
    let environment: [String: String]
    let digests: any RunningDigests
    let builds = BuildMemory()
    /// The folders in which programs are looked up by name.
    let folders: [String]

    /// Creates the probes with this environment and these digests.
    package init(environment: [String: String], digests: any RunningDigests) {
        self.environment = environment
        self.digests = digests
        folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init).filter {
            $0.hasPrefix("/")
        }
    }

    package func variables() -> [String: String] { environment }
}
