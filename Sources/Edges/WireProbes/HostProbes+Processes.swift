import Glibc
package import WireBase
package import WireSecurityContract

extension HostProbes {
    package func processes() throws(Fault) -> SeenProcesses {
        let ids = Files.names(in: "/proc").compactMap { Int32($0) }
        guard !ids.isEmpty else { throw Fault("/proc shows no processes") }
        var seen: [SeenProcess] = []
        // One that ends while it is looked at is none.
        for id in ids { if let process = try? process(id) { seen.append(process) } }
        builds.forgetOthers(than: Set(seen.map(\.program)))
        return SeenProcesses(seen, hidden: try reasonForHiding(seen.count))
    }

    /// Where /proc shows a user only what is the user's own, the rest is not absent but unknown.
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

    /// A process by its number; nil for one that there is not, or that is hidden.
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
        // A kernel without the one has the other.
        if let ports = ListeningPorts.asked() { return ports }
        return try ListeningPorts.read()
    }

    package func tunnels() throws(Fault) -> [String] {
        var interfaces: Set<String> = []
        for line in (try KernelText.readIfThere("/proc/net/route") ?? "").split(separator: "\n").dropFirst() {
            let fields = line.split(whereSeparator: \.isWhitespace)
            // Destination and mask are 0 for the whole world, or its halves as VPNs write them.
            guard fields.count > 7, fields[7] == "00000000" || fields[7] == "00000080" else { continue }
            interfaces.insert(String(fields[0]))
        }
        return interfaces.filter(Self.isTunnel).sorted()
    }

    private static func isTunnel(_ interface: String) -> Bool {
        let kind = (try? KernelText.read("/sys/class/net/\(interface)/uevent"))
            .flatMap { text in text.split(separator: "\n").first { $0.hasPrefix("DEVTYPE=") } }
        if kind == "DEVTYPE=wireguard" { return true }
        // ARPHRD_NONE, ARPHRD_PPP and the tunnels of IP in IP.
        let type = (try? KernelText.number("/sys/class/net/\(interface)/type")) ?? 1
        return [65_534, 512, 768, 769, 776, 778].contains(type)
            || ["tun", "tap", "ppp", "wg", "ipsec"].contains { interface.hasPrefix($0) }
    }
}
