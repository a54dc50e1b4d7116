package import WireSecrets
import WireService

/// Looks at this machine as Linux shows it: in /proc and /sys, by asking the kernel, and in this process itself.
package struct HostProbes: MachineProbes {
    /// The environment the process was started with: what it has changed itself since is nobody's attack.
    let environment: [String: String]
    let digests: any RunningDigests
    let builds = BuildMemory()

    /// Looks with this environment, and makes digests with these.
    package init(environment: [String: String], digests: any RunningDigests) {
        self.environment = environment
        self.digests = digests
    }

    package func variables() -> [String: String] { environment }
}
