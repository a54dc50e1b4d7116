import Foundation
import Support
import Testing

@Suite("The systemd unit")
struct UnitTests {
    @Test("systemd accepts the unit, and rates its exposure as low")
    func verified() throws {
        let folder = try TemporaryFolder()
        let text = try String(
            contentsOf: Repository.root.appendingPathComponent("Units/corewire.service"),
            encoding: .utf8
        )
        try folder.write(text.replacing("/usr/local/bin/corewire", with: Program.corewire), to: "corewire.service")
        let socket = try String(
            contentsOf: Repository.root.appendingPathComponent("Units/corewire.socket"),
            encoding: .utf8
        )
        try folder.write(socket, to: "corewire.socket")
        let unit = folder.url.appendingPathComponent("corewire.service").path
        let units = [unit, folder.url.appendingPathComponent("corewire.socket").path]
        let verdict = try Program.run("systemd-analyze", ["verify", "--man=no"] + units)
        #expect(verdict.status == 0 && verdict.everything.isEmpty, "\(verdict.everything)")
        let exposure = try Program.run("systemd-analyze", ["security", "--offline=true", "--threshold=20", unit])
        #expect(exposure.status == 0, "\(exposure.output.suffix(200))")
    }
}
