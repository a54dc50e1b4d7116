import WireBase
package import WireConfig

extension MetricsSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        // A list with unreadable items may contain the type, so its absence is not reported to other sections.
        if types.contains(.security) || $types.state == .uncertain { checks.offer(Provision(.metrics)) }
        for type in MetricsType.allCases where types.count(where: { $0 == type }) > 1 {
            checks.report(.duplicateMetrics, at: $types, "metrics.types has \(type.rawValue.quoted) more than once")
        }
        if $types.state != .uncertain { checkOccasions(&checks) }
    }

    private func checkOccasions(_ checks: inout Checks) {
        guard types.contains(.initial) else {
            let place = $every.isWritten ? $every : $atStart
            guard place.isWritten, every != nil || atStart else { return }
            checks.report(
                .neverSent,
                at: place,
                "metrics.types does not contain 'init', so nothing is sent at these times",
                related: $types.isWritten ? ($types, "only these are sent") : nil
            )
            return
        }
        if !atStart, $every.state == .absent, $types.isWritten {
            checks.report(
                .neverSent,
                at: $atStart,
                "metrics.types has 'init', which is never sent",
                help: "write \(setting: "every: 1d"), or remove atStart",
                related: ($types, "listed here")
            )
        }
    }
}
