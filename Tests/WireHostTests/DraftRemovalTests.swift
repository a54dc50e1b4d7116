import Foundation
import Glibc
import Support
import Testing
import WireHost

@Suite("Drafts at signals")
struct DraftRemovalTests {
    @Test("a signal that ends the program removes the draft", arguments: [SIGINT, SIGTERM, SIGHUP])
    func removal(number: Int32) async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appendingPathComponent("draft").path
        try folder.write("", to: "draft")
        let result = await #expect(processExitsWith: .failure) { [path = path as String, number] in
            DraftRemoval.atSignals(path)
            // The thread that started this process may have had the signal blocked.
            var signals = sigset_t()
            unsafe sigemptyset(&signals)
            unsafe sigaddset(&signals, number)
            unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
            raise(number)
        }
        #expect(result?.exitStatus == .signal(number))
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
