package import WireSecrets
import WireSecurityContract

/// Looks at this machine as Linux shows it: in /proc and /sys, by asking the kernel, and in this process itself.
package struct HostProbes: MachineProbes {
    /// The environment the process was started with: what it has changed itself since is nobody's attack.
    let environment: [String: String]
    let digests: any RunningDigests
    let builds = BuildMemory()
    /// Where programs are looked for by their names.
    let folders: [String]

    /// Looks with this environment, and makes digests with these.
    package init(environment: [String: String], digests: any RunningDigests) {
        self.environment = environment
        self.digests = digests
        folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init).filter {
            $0.hasPrefix("/")
        }
    }

    package func variables() -> [String: String] { environment }
}
