import Glibc
import WireBase
package import WireDeviceContract

/// Facts about this machine from the kernel and the distribution.
package struct SystemInfo: MachineDescribing {
    /// The folder with `/etc`, `/proc` and `/sys`; another one in tests.
    private let root: String

    package init(root: String = "") { self.root = root }

    package func facts() -> MachineFacts {
        var facts = MachineFacts()
        facts.platform = line("proc/sys/kernel/ostype")
        let release = release()
        facts.systemVersion = release["VERSION_ID"]
        facts.systemName = release["PRETTY_NAME"]
        // Boards without PC firmware have these in the device tree.
        facts.manufacturer = identity("sys_vendor") ?? identity("board_vendor")
        facts.model = identity("product_name") ?? identity("board_name") ?? line("proc/device-tree/model")
        facts.type = type
        facts.screenSize = screenSize
        facts.language = language
        facts.minutesAheadOfUTC = minutesAheadOfUTC
        if Files.exists("\(root)/sys/class") { facts.hasNFC = !Files.names(in: "\(root)/sys/class/nfc").isEmpty }
        return facts
    }

    // MARK: Locale

    /// The first part of `de_DE.UTF-8`; nil for the C locale.
    private var language: String? {
        let value = ["LC_ALL", "LC_MESSAGES", "LANG"].firstFound { name in
            Files.variable(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        let word = value.map { $0.prefix { $0.isLetter } } ?? ""
        return (2...3).contains(word.count) && word != "POSIX" ? word.lowercased() : nil
    }

    private var minutesAheadOfUTC: Int? {
        var (now, parts) = (time(nil), unsafe tm())
        guard unsafe localtime_r(&now, &parts) != nil else { return nil }
        return unsafe parts.tm_gmtoff / 60
    }

    // MARK: Firmware

    /// The placeholders that vendors leave in place of a name.
    private static let empty = ["", "to be filled by o.e.m.", "default string", "system product name", "not specified"]

    private func identity(_ name: String) -> String? {
        line("sys/class/dmi/id/\(name)").flatMap { Self.empty.contains($0.lowercased()) ? nil : $0 }
    }

    /// The type of chassis, as SMBIOS numbers it (DSP0134, section 7.4.1).
    private var type: String? {
        switch line("sys/class/dmi/id/chassis_type").flatMap({ Int($0) }) {
        case 1 where Files.exists("\(root)/proc/device-tree/model"): return "embedded"
        case 1: return "virtual"
        case 3, 4, 5, 6, 7, 13, 15, 16, 24, 35: return "desktop"
        case 8, 9, 10, 14, 31: return "laptop"
        case 11: return "handheld"
        case 17, 23, 25, 28, 29: return "server"
        case 30, 32: return "tablet"
        case 33, 34, 36: return "embedded"
        default: return Files.exists("\(root)/proc/device-tree/model") ? "embedded" : nil
        }
    }

    // MARK: Screens

    private var screenSize: String? {
        let folder = "sys/class/drm"
        for name in Files.names(in: "\(root)/\(folder)") where line("\(folder)/\(name)/status") == "connected" {
            if let mode = line("\(folder)/\(name)/modes"), !mode.isEmpty { return mode }
        }
        return nil
    }

    // MARK: Files

    /// Returns the assignments of `os-release`, without quotes.
    private func release() -> [String: String] {
        let text = text("etc/os-release") ?? text("usr/lib/os-release") ?? ""
        var values: [String: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "="), !line.hasPrefix("#") else { continue }
            var value = line[line.index(after: equals)...]
            for quote in ["\"", "'"] where value.count >= 2 && value.hasPrefix(quote) && value.hasSuffix(quote) {
                value = value.dropFirst().dropLast()
            }
            values[String(line[..<equals])] = String(value).shown(upTo: 200)
        }
        return values
    }

    /// Returns the first line of a file, trimmed.
    private func line(_ path: String) -> String? {
        guard let first = text(path)?.split(separator: "\n", omittingEmptySubsequences: false).first else { return nil }
        let line = first.drop { $0 == " " }.reversed().drop { $0 == " " || $0 == "\0" }.reversed()
        return line.isEmpty ? nil : String(line).shown(upTo: 200)
    }

    private func text(_ path: String) -> String? {
        guard let bytes = try? Files.read("\(root)/\(path)", upTo: .kibibytes(64), onlyRegular: true) else {
            return nil
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
