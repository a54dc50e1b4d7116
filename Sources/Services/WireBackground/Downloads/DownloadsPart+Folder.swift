import Synchronization
import WireBase
import WireConfig
import WireService

// The folder for downloads: created where it is missing, and reported where it is not writable.

extension DownloadsPart {
    /// Creates the folder for downloads; the service is degraded while that fails.
    func prepareFolder() async throws(FileFailure) {
        guard let files, let folder = present.folder else { return }
        do throws(FileFailure) {
            try await files.prepare(folder)
            note(nil)
        } catch {
            note(error)
            throw error
        }
    }

    /// Checks the folder at the start and after changes of the settings, with retries until it is writable.
    func followFolder() async {
        while !Task.isCancelled {
            try? await prepareFolder()
            if obstacle.withLock({ $0 == nil }) {
                await folderWakeup.next()
            } else {
                try? await present.host.clock.sleep(Self.patience)
            }
        }
    }

    private func note(_ failure: FileFailure?) {
        let present = present
        present.host.report {
            let isChange = obstacle.withLock { obstacle in
                defer { obstacle = failure?.reason }
                return obstacle != failure?.reason
            }
            guard isChange, let rules = present.rules else { return nil }
            guard let failure else { return .well }
            folderWakeup.wake()
            return .degraded(
                present.host.fault(
                    "the folder for downloads cannot be written: \(failure.reason)",
                    at: rules.$directory,
                    "background.downloads.directory",
                    help: "give the user of the runner write permission, or set another folder"
                )
            )
        }
    }
}
