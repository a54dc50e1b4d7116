import WireBase
package import WireConfig
import WireService

extension SecuritySection {
    /// The rules across the keys of the section, and across sections.
    package func check(_ checks: inout Checks) {
        checks.offer(.trust)
        checks.offer(.securityResults)
        let applied = rules.all
        if applied.isEmpty, !hasBaseline, $rules.state != .uncertain {
            checks.report(
                .noRules,
                at: $hasBaseline,
                "security has no rules, so nothing is checked",
                help: "remove 'baseline', or write \(setting: "rules: { debugger: {} }", of: "security")"
            )
        }
        checkRulesWithoutValue(&checks)
        for (name, rule, place) in applied { check(rule, named: name, place, &checks) }
        checkIntegrity(&checks)
        checkAppVersion(&checks)
        if sendsMetrics == true {
            checks.need(
                Provision(.metrics),
                .noMetrics,
                at: $sendsMetrics,
                "security.metrics needs a section 'metrics' that sends type 'security'",
                help: "write \(setting: "metrics: { url: … }") at the top of the file, or remove the key"
            )
        }
    }

    /// Reports rules without a value, whose absence is reported at their own key.
    private func checkRulesWithoutValue(_ checks: inout Checks) {
        for (name, place) in rules.catalogue.map({ ($0.name, $0.place) })
        where place.state == .absent && checks.written(place) == name {
            checks.report(
                .ruleWithoutValue,
                at: place,
                "security.rules.\(name) has no value, so it is not applied",
                help:
                    "write \(setting: "\(name): {}", of: "security.rules"); to disable the rule, write \(setting: "enabled: false") or remove it"
            )
        }
    }

    private func check(_ rule: any SecurityRule, named name: String, _ place: Place, _ checks: inout Checks) {
        let path = "security.rules.\(name)"
        guard rule.reaction.isEnabled, rule.reaction.$isEnabled.state != .uncertain else { return }
        let search = rule.search
        guard search.places.allSatisfy({ $0.state != .uncertain }) else { return }
        if search.items.isEmpty {
            checks.report(
                .nothingToFind,
                at: search.places.first { $0.isWritten } ?? place,
                "\(path) has nothing to search for",
                help: "list the items, or write \(setting: "enabled: false")"
            )
        } else if Set(search.items).isSubset(of: search.allowed) {
            checks.report(
                .allAllowed,
                at: search.allowedPlace,
                "\(path).allow exempts everything that the rule searches for",
                help: "write \(setting: "enabled: false") to disable the rule"
            )
        }
        for unknown in search.allowed where !search.items.contains(unknown) {
            let nearest = Nearest.names(to: unknown, among: search.items)
            checks.report(
                .unusedAllowance,
                at: search.allowedPlace,
                "\(path).allow has \(unknown.quoted), which the rule does not search for",
                label: nearest.isEmpty ? "" : "did you mean \(nearest.listed())?"
            )
        }
    }

    private func checkIntegrity(_ checks: inout Checks) {
        guard let files = rules.integrity?.files else { return }
        var known: [String: KnownFile] = [:]
        for file in files {
            guard let earlier = known[file.path.path] else {
                known[file.path.path] = file
                continue
            }
            checks.report(
                .sameFile,
                at: file.$path,
                "security.rules.integrity.files has \(file.path.path.quoted) twice",
                related: (earlier.$path, "the first is here")
            )
        }
    }

    private func checkAppVersion(_ checks: inout Checks) {
        guard rules.appVersion != nil, let app = checks.configuration[AppSection.self], app.$version.state == .absent
        else { return }
        checks.report(
            .noAppVersion,
            at: rules.$appVersion,
            "security.rules.appVersion needs the version of the app",
            help: "write \(setting: "version: 1.0.0") under 'app'"
        )
    }
}
