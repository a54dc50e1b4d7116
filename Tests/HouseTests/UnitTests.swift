import Foundation
import Support
import Testing

@Suite("The systemd units")
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

    @Test("systemd accepts the unit of a user")
    func ofUser() throws {
        let folder = try TemporaryFolder()
        let text = try Repository.text(of: "Units/user/corewire.service")
        try folder.write(text.replacing("/usr/local/bin/corewire", with: Program.corewire), to: "corewire.service")
        let verdict = try Program.run(
            "systemd-analyze",
            ["--user", "verify", "--man=no", folder.url.appendingPathComponent("corewire.service").path],
            environment: ["XDG_RUNTIME_DIR": folder.url.path]
        )
        #expect(verdict.status == 0 && verdict.everything.isEmpty, "\(verdict.everything)")
    }

    @Test("a session bus with the D-Bus file can start the app, by the unit of a user")
    func activated() throws {
        let folder = try TemporaryFolder()
        let services = folder.url.appendingPathComponent("dbus-1/services")
        try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
        let text = try Repository.text(of: "Units/user/com.example.tasks.service")
        #expect(text.contains("\nSystemdService=corewire.service\n"))
        try folder.write(
            text.replacing("com.example.tasks", with: "com.example.own"),
            to: "dbus-1/services/own.service"
        )
        let bus = try BusDaemon(variables: ["XDG_DATA_HOME": folder.url.path])
        let names = try Program.run(
            "busctl",
            ["--user", "--activatable", "list"],
            environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
        )
        #expect(names.output.contains("\ncom.example.own "), "\(names.everything)")
    }
}
