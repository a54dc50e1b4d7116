import Foundation
import Support
import Testing
import WireBase
import WireConfig

@Suite("Third-party OAuth clients", .timeLimit(.minutes(2)))
struct ForeignClientTests {
    private static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path

    private static var hasAuthlib: Bool {
        (try? Program.run(python, ["-c", "import authlib, requests"]).status) == 0
    }

    @Test(
        "Authlib signs in, verifies the ID token, refreshes, introspects and revokes tokens",
        .enabled(if: hasAuthlib)
    )
    func authlib() async throws {
        try await House.run { house in
            let script = Repository.root.appendingPathComponent("Tests/WireBackendsTests/Clients/authlib_client.py")
                .path
            let arguments = [script, try house.realm(), "\(house.clock.clockwork.wall() / 1_000)"]
            let run = try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global().async {
                    continuation.resume(with: Result { try Program.run(Self.python, arguments) })
                }
            }
            #expect(run.status == 0, "\(run.everything)")
            #expect(run.output == "signed in\n")
        }
    }
}
