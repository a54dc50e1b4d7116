import WireAddonContract
import WireBase
import WireConfig

/// Add-ons as text.
enum AddonText {
    static func list(_ addons: [AddonReport], _ paint: Paint) -> String {
        guard !addons.isEmpty else { return "no add-ons\n" }
        var table = Table([
            "name", "state", "pid", "version", "told", "dropped", "answered", "late", "restarts", "hooks",
        ])
        for addon in addons {
            let state = addon.state
            let process = addon.process.map { "\($0)" } ?? (addon.kind == .code ? "code" : "")
            table.add([
                "\(addon.name.shown(upTo: 64))",
                .init(state.rawValue, state == .ready ? .good : state == .starting ? .warning : .error),
                "\(process)", "\(addon.version?.shown(upTo: 40) ?? "")", "\(addon.notified)", trouble(addon.dropped),
                "\(addon.answered)", trouble(addon.late), trouble(addon.restarts), "\(groups(addon))",
            ])
        }
        var text = table.text(paint)
        for addon in addons {
            guard addon.state != .ready, let trouble = addon.trouble else { continue }
            let place = addon.origin.map { ", at \($0.place.shown(upTo: 300))" } ?? ""
            text += paint("\(addon.name.shown(upTo: 64)): \(trouble.shown(upTo: 300))\(place)", .error) + "\n"
        }
        return text
    }

    /// A count that should be zero.
    private static func trouble(_ count: Int) -> Table.Cell { .init("\(count)", count > 0 ? .warning : nil) }

    /// The groups of hooks, each once.
    private static func groups(_ addon: AddonReport) -> String {
        var groups: [String] = []
        for hook in addon.hooks {
            let group = String(hook.prefix { $0 != "." }).shown(upTo: 40)
            if !groups.contains(group) { groups.append(group) }
        }
        return groups.joined(separator: " ")
    }

    static func lines(_ lines: [AddonLine], _ paint: Paint) -> String {
        guard !lines.isEmpty else { return "no output\n" }
        return lines.map { line($0, paint) }.joined()
    }

    static func line(_ line: AddonLine, _ paint: Paint) -> String {
        let text = line.text.shown(upTo: 1_000)
        let tint: Paint.Tint? = line.source == .corewire ? .warning : line.source == .output ? .error : nil
        return "\(paint(Display.time(line.time), .faint))  \(tint.map { paint(text, $0) } ?? text)\n"
    }
}
