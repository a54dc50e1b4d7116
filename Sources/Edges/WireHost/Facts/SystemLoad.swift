import Glibc
import WireBase
import WireWorkContract

/// The load and the power supply of this machine, from `/proc` and `/sys`.
///
/// The machine is idle while fewer than half of its processors had work over the last minute. It has power unless it
/// runs on a battery; batteries of mice and keyboards do not count.
package struct SystemLoad: HostConditions {
    /// The folder with `/proc` and `/sys`; another one in tests.
    private let root: String
    private let processors: Int

    package init(root: String = "", processors: Int = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))) {
        (self.root, self.processors) = (root, processors)
    }

    package var isIdle: Bool? {
        guard let first = read("proc/loadavg")?.split(separator: " ").first, let load = Double(first), load >= 0,
            load.isFinite
        else { return nil }
        return load < Double(processors) / 2
    }

    package var hasPower: Bool? {
        var (isDischarging, tells) = (false, false)
        for name in Files.names(in: "\(root)/sys/class/power_supply") {
            let folder = "sys/class/power_supply/\(name)"
            guard let type = read("\(folder)/type"), read("\(folder)/scope") != "Device" else { continue }
            switch type {
            case "Battery", "UPS":
                guard read("\(folder)/present") != "0" else { continue }
                switch read("\(folder)/status") {
                case "Discharging": (isDischarging, tells) = (true, true)
                case "Charging", "Full", "Not charging": tells = true
                default: continue
                }
            default:
                // Mains, USB and wireless supplies.
                if read("\(folder)/online").map({ $0 != "0" }) ?? false { return true }
            }
        }
        return tells ? !isDischarging : nil
    }

    /// Returns the first line of a file, which the kernel creates at each read.
    private func read(_ path: String) -> String? {
        guard let bytes = try? Files.read("\(root)/\(path)", upTo: .kibibytes(4), onlyRegular: true) else { return nil }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
        return String(validating: line, as: UTF8.self)
    }
}
