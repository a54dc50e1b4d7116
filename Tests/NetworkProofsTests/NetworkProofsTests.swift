import Foundation
import Support
import Testing

/// Sends requests by way of `/v1/network/` of the built runner, over the ways and to the servers of `Tests/NetworkProofs`.
@Suite("Requests over faulty networks, and to faulty and real servers")
struct NetworkProofsTests {
    private static let folder = Repository.root.appendingPathComponent("Tests/NetworkProofs").path
    /// What a driver says where this machine lacks the servers.
    private static let missing: Int32 = 77

    private func prove(_ driver: String, atLeast count: Int) throws {
        let run = try Program.run("\(Self.folder)/\(driver)", ["--programs", Program.buildFolder.path])
        if run.status == Self.missing { try Test.cancel("\(run.output)") }
        let lines = run.output.split(separator: "\n")
        #expect(run.status == 0, "\(run.everything)")
        #expect(lines.allSatisfy { $0.hasPrefix("pass ") }, "\(run.everything)")
        #expect(lines.count >= count, "\(run.everything)")
    }

    @Test("whatever the network does, a correct response arrives in time, after at most the promised attempts")
    func hostile() throws { try prove("hostile", atLeast: 42) }

    @Test("nothing is sent to a server with an untrusted certificate or key")
    func certificates() throws { try prove("certificates", atLeast: 19) }

    @Test("no request waits for a connection that a change of links, addresses or routes has broken")
    func changes() throws { try prove("changes", atLeast: 16) }

    @Test("a download leaves the reserved disk space free, with known or unknown length")
    func disk() throws { try prove("disk", atLeast: 3) }

    @Test("requests work with third-party servers and proxies")
    func strangers() throws { try prove("strangers", atLeast: 14) }
}
