import WireBase
package import WireConfig

extension AddonsSection {
    /// The rules across the add-ons, and across the keys of each.
    package func check(_ checks: inout Checks) {
        // One that could not be read may have any hook.
        if items.items.contains(where: { $0.value.hooks.contains(.auth) || $0.value.$hooks.state == .uncertain }) {
            checks.offer(Provision(.credentials))
        }
        var programs: [Command: Named<Addon>.Item] = [:]
        for item in items.items {
            let path = "addons.\(item.name)"
            if item.value.$exec.isWritten {
                if let earlier = programs[item.value.exec] {
                    checks.report(
                        .sameAddon,
                        at: item.value.$exec,
                        "\(path) starts the same program as addons.\(earlier.name)",
                        related: (earlier.value.$exec, "the same here")
                    )
                }
                programs[item.value.exec] = item
            }
            item.value.check(path, &checks)
        }
    }
}

extension Addon {
    fileprivate func check(_ path: String, _ checks: inout Checks) {
        if let name = exec.arguments.lazy.flatMap(\.variables).first {
            checks.report(
                .addonTemplate,
                at: $exec,
                "\(path).exec: there is no variable \(name.quoted) at the start of an add-on",
                help: "events arrive on its standard input"
            )
        }
        let words = hooks.map(\.rawValue)
        if let twice = words.enumerated().first(where: { words.prefix($0.offset).contains($0.element) })?.element {
            checks.report(.duplicateHook, at: $hooks, "\(path).hooks has \(twice.quoted) twice")
        }
        for name in env.names { checkVariable(name.text, name.place, "\(path).env", &checks) }
        for name in secrets.names {
            checkVariable(name.text, name.place, "\(path).secrets", &checks)
            guard let other = env.names.first(where: { $0.text == name.text }) else { continue }
            checks.report(
                .addonVariable,
                at: other.place,
                "\(path): \(name.text.quoted) is both in 'env' and in 'secrets'",
                help: "keep the one in 'secrets'",
                related: (name.place, "the other one")
            )
        }
    }

    private func checkVariable(_ name: String, _ place: Place, _ path: String, _ checks: inout Checks) {
        let isVariable = name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        if !isVariable || name.utf8.first?.isDigit ?? true {
            checks.report(
                .addonVariable,
                at: place,
                "\(path): invalid name of an environment variable \(name.quoted)",
                help: "use letters, digits and underscores, not beginning with a digit"
            )
        } else if name.hasPrefix("COREWIRE_") {
            checks.report(
                .addonVariable,
                at: place,
                "\(path): \(name.quoted) is set by corewire itself",
                help: "names that begin with COREWIRE_ are reserved"
            )
        }
    }
}
