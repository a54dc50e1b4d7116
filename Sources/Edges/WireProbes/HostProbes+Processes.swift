import Glibc
package import WireBase
package import WireSecurityContract

extension HostProbes {
    package func processes() throws(Fault) -> SeenProcesses {
        let ids = Files.names(in: "/proc").compactMap { Int32($0) }
        guard !ids.isEmpty else { throw Fault("/proc has no processes") }
        var seen: [SeenProcess] = []
        // A process that ends during the read is skipped.
        for id in ids { if let process = try? process(id) { seen.append(process) } }
        builds.forgetOthers(than: Set(seen.map(\.program)))
        return SeenProcesses(seen, hidden: try reasonForHiding(seen.count))
    }

    /// Returns why /proc does not show all processes, or nil; hidden ones are unknown, not absent.
    private func reasonForHiding(_ count: Int) throws(Fault) -> String? {
        let mounts = try KernelText.read("/proc/self/mountinfo")
        let line = mounts.split(separator: "\n").last { $0.split(separator: " ").dropFirst(4).first == "/proc" }
        guard let line, geteuid() != 0 else { return nil }
        let options = line.split(whereSeparator: { $0 == " " || $0 == "," })
        let hides = options.contains {
            ["hidepid=1", "hidepid=2", "hidepid=invisible", "hidepid=noaccess"].contains($0)
        }
        return hides ? "/proc hides the processes of other users (hidepid)" : nil
    }

    /// Returns a process by its number; nil for a missing or hidden one.
    func process(_ id: Int32) throws(Fault) -> SeenProcess? {
        guard let name = KernelText.beginning(of: "/proc/\(id)/comm") else { return nil }
        let program = KernelText.link("/proc/\(id)/exe") ?? ""
        let words = KernelText.beginning(of: "/proc/\(id)/cmdline") ?? ""
        let command = words.utf8.firstIndex(of: 0).map { words[..<$0] } ?? words[...]
        return SeenProcess(
            id: id,
            name: name.trimmed,
            program: program,
            command: String(command),
            build: program.isEmpty ? "" : builds.build(of: program, throughProcess: id)
        )
    }

    package func listeningPorts() throws(Fault) -> Set<Int> {
        // Kernels without sock_diag have the files.
        if let ports = ListeningPorts.asked() { return ports }
        return try ListeningPorts.read()
    }

    package func tunnels() throws(Fault) -> [String] {
        var interfaces: Set<String> = []
        for line in (try KernelText.readIfThere("/proc/net/route") ?? "").split(separator: "\n").dropFirst() {
            let fields = line.split(whereSeparator: \.isWhitespace)
            // Destination and mask are 0 for the default route, or for its halves as VPNs set them.
            guard fields.count > 7, fields[7] == "00000000" || fields[7] == "00000080" else { continue }
            interfaces.insert(String(fields[0]))
        }
        return interfaces.filter(Self.isTunnel).sorted()
    }

    private static func isTunnel(_ interface: String) -> Bool {
        let kind = (try? KernelText.read("/sys/class/net/\(interface)/uevent"))
            .flatMap { text in text.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") } }
        if kind == "DEVTYPE=wireguard" { return true }
        // ARPHRD_NONE, ARPHRD_PPP and IP tunnels.
        let type = (try? KernelText.number("/sys/class/net/\(interface)/type")) ?? 1
        return [65_534, 512, 768, 769, 776, 778].contains(type)
            || ["tun", "tap", "ppp", "wg", "ipsec"].contains { interface.hasPrefix($0) }
    }
}
