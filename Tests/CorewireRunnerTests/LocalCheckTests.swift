import Foundation
import Glibc
import Support
import Testing

@Suite("validate-config --local")
struct LocalCheckTests {
    private static func home(_ api: String, app: String = "com.example.tasks", more: String = "") throws -> RunnerHome {
        let home = try RunnerHome()
        let text = Services.file(api: api, more: more).replacingOccurrences(of: "com.example.tasks", with: app)
        try home.write(text)
        return home
    }

    /// A port that was free a moment ago.
    private static func freePort() throws -> UInt16 {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(probe, $0, size) == 0 && getsockname(probe, $0, &size) == 0
            }
        }
        try #require(isBound)
        return UInt16(bigEndian: name.sin_port)
    }

    @Test("an address in use by this app's runner is no problem, whatever its socket", arguments: ["auto", "off"])
    func own(socket: String) throws {
        let home = try Self.home("{ socket: \(socket), listen: 127.0.0.1:\(Self.freePort()) }")
        let runner = try FoundRunner(in: home)
        let run = try runner.corewire("validate-config", "--local")
        #expect(run.status == 0, "\(run.everything)")
        let doctor = try runner.corewire("doctor")
        #expect(doctor.output.contains("the runner listens on 127.0.0.1"), "\(doctor.output)")
    }

    @Test("an address in use by another app's runner is a problem, even if this app's runner runs")
    func others() throws {
        let port = try Self.freePort()
        let other = try FoundRunner(in: Self.home("{ listen: 127.0.0.1:\(port) }", app: "com.example.other"))
        let own = try FoundRunner(in: Self.home("{ socket: auto }"))
        try own.home.write(Services.file(api: "{ listen: 127.0.0.1:\(port) }"))
        let run = try own.corewire("validate-config", "--local")
        #expect(run.status == 1)
        #expect(
            run.output.contains("error[CW0501]: api.listen: cannot listen on 127.0.0.1:\(port)"),
            "\(run.output)"
        )
        let doctor = try own.corewire("doctor")
        #expect(doctor.status == 1 && doctor.output.contains("problem  address"), "\(doctor.output)")
        other.stop()
    }

    @Test("a relative folder for downloads is checked in the data folder")
    func downloads() throws {
        let home = try Self.home("{}", more: "background: { downloads: { directory: files } }")
        #expect(try home.corewire("validate-config", "--local").status == 0)
        try home.folder.write("", to: "s/corewire/com.example.tasks/data/com.example.tasks/files")
        let run = try home.corewire("validate-config", "--local")
        #expect(run.output.contains("background.downloads.directory: 'files' is a file, not a folder"), "\(run.output)")
    }

    @Test("a folder for downloads that cannot be created degrades the service, with its line")
    func folderAtRunTime() async throws {
        let file = Services.file(more: "background: { downloads: { directory: /proc/nope } }")
        let runner = try Services.running(file)
        let text = "the folder for downloads cannot be written: '/proc/nope'"
        let isTold = try await eventually { try runner.corewire("status").output.contains(text) }
        let status = try runner.corewire("status").output
        #expect(isTold && status.contains("background.downloads.directory (mobile-services.yaml:9:39)"), "\(status)")
    }

    @Test("a program that is not executable is reported by the check as at start, with the place and help")
    func program() throws {
        let more = "addons: { tag: { exec: [./tag] } }"
        let home = try Self.home("{}", more: more)
        try home.write("#!/bin/sh\n", to: "tag")
        let check = try home.corewire("validate-config", "--local").everything
        let start = try home.corewire("run")
        #expect(start.status == 69)
        for word in ["mobile-services.yaml:9:25", "'./tag' may not be run", "= help: chmod +x"] {
            #expect(check.contains(word), "\(check)")
            #expect(start.errors.contains(word), "\(start.errors)")
        }
        #expect(start.errors.contains("the start has failed"))
        #expect(!start.errors.contains("continues"))
    }

    @Test("with a state folder and no HOME, nothing else is required")
    func stateFolder() throws {
        let home = try Self.home("{}")
        let folders = [
            "STATE_DIRECTORY": home.folder.url.appendingPathComponent("s").path,
            "RUNTIME_DIRECTORY": home.folder.url.appendingPathComponent("r").path,
        ]
        let run = try Program.run(
            "env",
            ["-u", "HOME", "-u", "XDG_CACHE_HOME", Program.corewire, "doctor"],
            in: home.work,
            environment: folders
        )
        #expect(run.status == 0, "\(run.everything)")
    }

    @Test("SIGUSR1 logs the status as complete records")
    func signal() async throws {
        let runner = try Services.running()
        kill(runner.id, SIGUSR1)
        func records() -> [[String: Any]] {
            runner.logged.split(separator: "\n").compactMap {
                try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
            }.filter { $0["message"] as? String == "status" }
        }
        #expect(await eventually { records().contains { $0["module"] as? String == "api" } })
        let own = try #require(records().first { $0["module"] as? String == "corewire" }?["fields"] as? [String: Any])
        #expect(own["phase"] as? String == "running" && own["ready"] as? Bool == true && own["generation"] as? Int == 1)
        let api = try #require(records().first { $0["module"] as? String == "api" }?["fields"] as? [String: Any])
        #expect(api["state"] as? String == "ready" && api["restarts"] as? Int == 0)
    }
}
