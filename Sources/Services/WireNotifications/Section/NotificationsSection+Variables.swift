import WireBase
import WireConfig

/// The variables of one setting that need a field.
struct VariableUse {
    let key: String
    let place: Place
    let variables: [String]

    init(_ key: String, _ place: Place, _ templates: [Template]) {
        self.key = key
        self.place = place
        var seen: [String] = []
        for template in templates {
            for variable in template.variablesWithoutDefault where !seen.contains(variable) { seen.append(variable) }
        }
        variables = seen
    }
}

extension NotificationsSection {
    func checkVariables(_ handler: Handler, _ path: String, _ checks: inout Checks) {
        guard handler.$condition.state != .uncertain else { return }
        let guards = [handler.condition]
        if let download = handler.download {
            reportUnguarded(VariableUse("download", handler.$download, [download]), path, guards: guards, &checks)
        }
        if let exec = handler.exec {
            reportUnguarded(VariableUse("exec", handler.$exec, exec.arguments), path, guards: guards, &checks)
        }
        if let state = handler.state {
            let use = VariableUse("state", handler.$state, [state.key, state.value])
            reportUnguarded(use, path, guards: guards, &checks)
        }
        if let log = handler.log {
            reportUnguarded(VariableUse("log", handler.$log, [log.text]), path, guards: guards, &checks)
        }
        if let open = handler.open {
            reportUnguarded(VariableUse("open", handler.$open, [open]), path, guards: guards, &checks)
        }
    }

    func variableUses(_ button: Button) -> [VariableUse] {
        [
            VariableUse("label", button.$label, [button.label]),
            VariableUse("open", button.$open, button.open.map { [$0] } ?? []),
            VariableUse("exec", button.$exec, button.exec?.arguments ?? []),
        ]
    }

    /// Reports variables that at least one of the conditions does not guarantee.
    func reportUnguarded(_ use: VariableUse, _ path: String, guards: [Named<Condition>], _ checks: inout Checks) {
        for variable in use.variables where !guards.allSatisfy({ $0.guarantees(variable) }) {
            checks.report(
                .unguardedVariable,
                at: use.place,
                "\(path).\(use.key) uses \(variable.quoted), which a notification may lack",
                help: "write \(setting: "when: { \(variable): present }"), or '{{ \(variable) | default: \"…\" }}'"
            )
        }
    }
}

extension Named<Condition> {
    /// The fields of every notification, whatever its server sends.
    private static var alwaysThere: [String] { ["id", "title", "body"] }

    /// Whether a variable has a value whenever the conditions hold; a field inside a mapping implies the mapping.
    fileprivate func guarantees(_ variable: String) -> Bool {
        Self.alwaysThere.contains(variable)
            || items.contains { item in
                item.value.guaranteesField && (item.name == variable || item.name.hasPrefix(variable + "."))
            }
    }
}
