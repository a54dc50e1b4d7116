import WireBase
package import WireConfig

extension MetricsSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        if types.contains(.security) { checks.offer(Provision(.metrics)) }
        if Set(types).count < types.count {
            checks.report(.duplicateMetrics, at: $types, "metrics.types has a type twice")
        }
        checkOccasions(&checks)
    }

    private func checkOccasions(_ checks: inout Checks) {
        guard types.contains(.initial) else {
            let place = $every.isWritten ? $every : $atStart
            guard place.isWritten, every != nil || atStart else { return }
            checks.report(
                .neverSent,
                at: place,
                "metrics.types lacks 'init', so there is nothing to send then",
                related: $types.isWritten ? ($types, "only these are sent") : nil
            )
            return
        }
        if !atStart, every == nil, $types.isWritten {
            checks.report(
                .neverSent,
                at: $atStart,
                "metrics.types has 'init', which is never sent",
                help: "write 'every: 1d', or leave atStart out",
                related: ($types, "asked for here")
            )
        }
    }
}
