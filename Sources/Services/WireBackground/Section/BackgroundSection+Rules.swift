package import WireConfig
import WireDownloadContract
import WireService
import WireWorkContract

extension BackgroundSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        checks.offer(.outbox)
        checks.offer(.schedules)
        // Invalid 'downloads' are reported as such, and do not count as missing for services that need them.
        if downloads != nil || $downloads.state == .uncertain { checks.offer(.downloads) }
        checkWaits(&checks)
        checkTasks(&checks)
        if let downloads, downloads.directory.path.split(separator: "/").contains("..") {
            checks.report(
                .directoryOutside,
                at: downloads.$directory,
                "background.downloads.directory leaves the data folder",
                help: "write a path without '..', or an absolute one"
            )
        }
    }

    private func checkWaits(_ checks: inout Checks) {
        guard $retry.isWritten, retry.$min.state != .uncertain, retry.$max.state != .uncertain, retry.min > retry.max
        else { return }
        let place = retry.$min.isWritten ? retry.$min : retry.$max
        checks.report(
            .retriesTurnedRound,
            at: place,
            "background.retry: 'min' (\(retry.min.literal.plainText)) is longer than 'max' (\(retry.max.literal.plainText))",
            related: retry.$min.isWritten && retry.$max.isWritten ? (retry.$max, "the longest") : nil
        )
    }
}
