import Glibc
package import WireBase
package import WireSecurityContract

extension HostProbes {
    package func virtualizations() throws(Fault) -> [(kind: Virtualization, sign: String)] {
        var found: [(Virtualization, String)] = []
        if let sign = try signOfVirtualMachine() { found.append((.virtualMachine, sign)) }
        if let sign = try signOfContainer() { found.append((.container, sign)) }
        let version = try KernelText.read("/proc/version")
        if version.lowercased().contains("microsoft") { found.append((.wsl, "/proc/version contains 'Microsoft'")) }
        // gVisor always shows this version, whatever the host.
        if version.contains("Linux version 4.4.0") && version.contains("Sun Jan 10 15:06:54 PST 2016") {
            found.append((.gvisor, "/proc/version is gVisor's"))
        }
        return found
    }

    private func signOfVirtualMachine() throws(Fault) -> String? {
        for name in ["sys_vendor", "product_name"] {
            let path = "/sys/class/dmi/id/\(name)"
            guard let text = try KernelText.readIfThere(path) else { continue }
            let makers = [
                "QEMU", "KVM", "VMware", "VirtualBox", "innotek", "Xen", "Bochs", "Parallels", "Virtual Machine",
            ]
            if let maker = makers.first(where: { text.contains($0) }) { return "\(path) contains '\(maker)'" }
        }
        let processor = try KernelText.read("/proc/cpuinfo")
        let flags = processor.split(separator: "\n").first { $0.hasPrefix("flags") || $0.hasPrefix("Features") }
        if flags?.split(separator: " ").contains("hypervisor") ?? false { return "a hypervisor flag of the processor" }
        return nil
    }

    private func signOfContainer() throws(Fault) -> String? {
        for path in ["/.dockerenv", "/run/.containerenv"] where unsafe access(path, F_OK) == 0 {
            return "\(path) exists"
        }
        if let manager = environment["container"], !manager.isEmpty { return "the variable container is set" }
        let groups = try KernelText.readIfThere("/proc/1/cgroup") ?? ""
        for word in ["docker", "kubepods", "libpod", "containerd", "lxc"] where groups.contains(word) {
            return "/proc/1/cgroup contains '\(word)'"
        }
        // The initial PID namespace has this number since Linux 3.8; any other one is nested.
        if let namespace = KernelText.link("/proc/self/ns/pid"), namespace != "pid:[4026531836]" {
            return "the process runs in a PID namespace"
        }
        return nil
    }
}
