package import WireConfig
import WireDownloadContract
import WireService
import WireWorkContract

extension BackgroundSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        checks.offer(.outbox)
        checks.offer(.schedules)
        // Downloads that are written wrongly are reported as such; those who need them are not told that there are none.
        if downloads != nil || $downloads.state == .uncertain { checks.offer(.downloads) }
        checkWaits(&checks)
        checkTasks(&checks)
        if let downloads, downloads.directory.path.split(separator: "/").contains("..") {
            checks.report(
                .directoryOutside,
                at: downloads.$directory,
                "background.downloads.directory leads out of the folder it begins in",
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
            "background.retry: the first wait (\(retry.min.literal.plainText)) is longer than the longest (\(retry.max.literal.plainText))",
            related: retry.$min.isWritten && retry.$max.isWritten ? (retry.$max, "the longest") : nil
        )
    }
}
