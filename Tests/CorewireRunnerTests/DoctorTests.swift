import Foundation
import Glibc
import Support
import Testing

@Suite("corewire doctor")
struct DoctorTests {
    /// Everything below a home, with what may not change; of the index of SQLite's log, which is made of the log, only
    /// that it is there.
    private static func listing(_ home: RunnerHome) throws -> String {
        try Program.run("find", [home.folder.url.path, "-printf", "%P %m %u %s %T@\\n"]).output
            .split(separator: "\n").filter { !$0.hasPrefix("log ") }
            .map { $0.contains("-shm ") ? String($0.prefix { $0 != " " }) : String($0) }.sorted().joined(
                separator: "\n"
            )
    }

    private static func home(_ text: String = Services.file()) throws -> RunnerHome {
        let home = try RunnerHome()
        try home.write(text)
        return home
    }

    @Test("doctor finds no problems on a suitable machine, and changes nothing")
    func fit() throws {
        let home = try Self.home()
        let before = try Self.listing(home)
        let run = try home.corewire("doctor")
        #expect(run.status == 0, "\(run.everything)")
        for area in [
            "services file", "references", "state folder", "runtime folder", "store", "socket", "kernel", "limits",
            "libraries", "authorities", "service manager", "journal", "clock",
        ] {
            #expect(run.output.contains(" \(area) "), "\(area) is missing in:\n\(run.output)")
        }
        #expect(run.output.contains("will be created"))
        #expect(try Self.listing(home) == before)
        let json = try home.corewire("doctor", "--format", "json").json()
        #expect(json["problems"] as? Int == 0)
        #expect((json["findings"] as? [[String: Any]])?.isEmpty == false)
    }

    @Test(
        "doctor reports the certificate authorities in use, by which variable, and the unused ones",
        arguments: [
            (["SSL_CERT_FILE": "/etc/hostname"], "ok", "/etc/hostname, by SSL_CERT_FILE"),
            (
                ["CURL_CA_BUNDLE": "/etc/hostname", "SSL_CERT_FILE": "/etc/hosts"], "warning",
                "/etc/hostname; SSL_CERT_FILE names '/etc/hosts', which is not used: CURL_CA_BUNDLE takes precedence"
            ),
            (["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "/etc/hosts"], "ok", "/etc/hosts, by SSL_CERT_FILE"),
            (
                ["CURL_CA_BUNDLE": "/nowhere", "SSL_CERT_FILE": "/etc/hosts"], "problem",
                "CURL_CA_BUNDLE names '/nowhere', which cannot be read, so no certificate is trusted"
            ),
        ]
    )
    func authorities(variables: [String: String], grade: String, text: String) throws {
        let run = try Self.home().corewire("doctor", environment: variables)
        let line = run.output.split(separator: "\n").first { $0.contains(" authorities ") }
        #expect(line?.hasPrefix(grade) == true && line?.contains(text) == true, "\(run.everything)")
    }

    @Test("doctor reports the PAM service that checks passwords, if the file needs one")
    func account() throws {
        #expect(try !Self.home().corewire("doctor").output.contains(" lock "))
        let home = try Self.home(
            """
            version: 1
            backend: embedded
            app: { id: com.example.tasks }
            auth: { lock: { method: pam } }
            api: {}

            """
        )
        let run = try home.corewire("doctor")
        let line = run.output.split(separator: "\n").first { $0.contains(" lock ") }
        let hasService = ["corewire", "login", "other"].contains { name in
            FileManager.default.fileExists(atPath: "/etc/pam.d/\(name)")
        }
        // Whether the password can be read, too, is up to what runs the tests.
        let isTold = line.map { $0.contains("PAM service") || $0.contains("NoNewPrivileges") } ?? false
        #expect(isTold, "\(run.everything)")
        if !hasService { #expect(line?.hasPrefix("problem") == true, "\(run.everything)") }
    }

    @Test("doctor checks a store without side effects, while its runner runs, has ended or was killed")
    func leavesNoTrace() throws {
        let home = try Self.home()
        let first = try FoundRunner(in: home)
        let running = try Self.listing(home)
        #expect(try home.corewire("doctor").output.contains("a runner listens on"))
        #expect(try Self.listing(home) == running)
        #expect(first.stop() == 0)
        let ended = try Self.listing(home)
        let run = try home.corewire("doctor")
        #expect(run.output.contains("state.db is intact"), "\(run.output)")
        #expect(run.output.contains("no runner listens on "))
        #expect(try Self.listing(home) == ended)
        let second = try FoundRunner(in: home)
        second.kill()
        let killed = try Self.listing(home)
        let after = try home.corewire("doctor")
        #expect(after.output.contains("a stale socket of an earlier runner"), "\(after.output)")
        #expect(after.output.contains("state.db is intact"), "\(after.output)")
        #expect(try Self.listing(home) == killed)
    }

    @Test("doctor reports a missing or invalid file, and unresolved references")
    func files() throws {
        let missing = try RunnerHome().corewire("doctor")
        #expect(missing.status == 1)
        #expect(missing.output.contains("problem  services file"), "\(missing.output)")
        let invalid = try Self.home(Services.file(key: "retires")).corewire("doctor")
        #expect(invalid.status == 1)
        #expect(invalid.output.contains("mobile-services.yaml is not valid, 1 error"), "\(invalid.output)")
        let api = "{ apps: { kiosk: { token: \"${env:NOT_SET_HERE}\" } } }"
        let unresolved = try Self.home(Services.file(api: api)).corewire("doctor")
        #expect(unresolved.status == 1)
        #expect(
            unresolved.output.contains("'NOT_SET_HERE' is not set (mobile-services.yaml:8:"),
            "\(unresolved.output)"
        )
        let unknown = try Self.home().corewire("doctor", "--env", "prd")
        #expect(unknown.status == 1)
        #expect(unknown.output.contains("did you mean 'prod'?"), "\(unknown.output)")
    }

    @Test("doctor tells nothing of the folders of a file that cannot be read")
    func unknownFolders() throws {
        for home in [try RunnerHome(), try Self.home("{}{}")] {
            let run = try home.corewire("doctor")
            #expect(run.status == 1 && run.output.contains("problem  services file"), "\(run.everything)")
            for area in [" state folder ", " store ", " socket "] {
                #expect(!run.output.contains(area), "\(run.output)")
            }
        }
    }

    @Test("doctor does not call a server of PostgreSQL fit that is too old")
    func oldServer() async throws {
        let (server, home) = (try await PostgresServer(), try TemporaryFolder())
        let file = StoreCopyTests.file(server)
        #expect(try StoreCopyTests.store(["migrate"], home, file).status == 0)
        let doctor = { try StoreCopyTests.corewire(["doctor"], home, file).output }
        #expect(try doctor().contains("ok       database         PostgreSQL "))
        // Found before the function of the system.
        let version = "CASE name WHEN 'server_version_num' THEN '120022' WHEN 'server_version' THEN '12.22'"
        try server.sql(
            """
            CREATE SCHEMA old;
            CREATE FUNCTION old.current_setting(name text) RETURNS text LANGUAGE sql AS
                $$ SELECT \(version) ELSE pg_catalog.current_setting(name) END $$;
            ALTER ROLE owner SET search_path = old, pg_catalog, public
            """
        )
        let output = try doctor()
        #expect(output.contains("the server is PostgreSQL 12.22, expected 13 or later"), "\(output)")
        #expect(!output.contains("accepts writes"), "\(output)")
    }

    @Test("doctor reports folders writable for others, and links instead of folders")
    func folders() throws {
        let home = try Self.home()
        let folder = home.folder.url.appendingPathComponent("s/corewire").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = unsafe chmod(folder, 0o777)
        let open = try home.corewire("doctor")
        #expect(open.status == 1)
        #expect(open.output.contains("other users may write to it (mode 0777"), "\(open.output)")
        try FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: "/tmp")
        let link = try home.corewire("doctor")
        #expect(link.status == 1)
        #expect(link.output.contains("a link or a file, expected a folder"), "\(link.output)")
    }

    @Test("doctor reports a damaged store, a foreign database, and a key readable for others")
    func stores() throws {
        let home = try Self.home()
        try FoundRunner(in: home).stop()
        let folder = home.folder.url.appendingPathComponent("s/corewire/com.example.tasks")
        _ = unsafe chmod(folder.appendingPathComponent("store.key").path, 0o644)
        let key = try home.corewire("doctor")
        #expect(key.status == 1)
        #expect(key.output.contains("others can use") && key.output.contains("store.key"), "\(key.output)")
        _ = unsafe chmod(folder.appendingPathComponent("store.key").path, 0o600)
        let database = folder.appendingPathComponent("state.db")
        // What the log holds is newer than the file, and would hide the damage.
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: database.path + suffix) }
        let whole = try Data(contentsOf: database)
        try (whole.prefix(100) + Data(repeating: 0xa5, count: whole.count - 100)).write(to: database)
        let damaged = try home.corewire("doctor")
        #expect(damaged.status == 1)
        #expect(damaged.output.contains("problem  store"), "\(damaged.output)")
        try Data("not a database at all, whatever its name says".utf8).write(to: database)
        #expect(try home.corewire("doctor").output.contains("problem  store"))
    }

    @Test("doctor reports an address in use by another program, and one in use by the runner")
    func address() throws {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        unsafe withUnsafeMutablePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(unsafe bind(probe, $0, size) == 0)
                #expect(unsafe getsockname(probe, $0, &size) == 0)
            }
        }
        #expect(listen(probe, 1) == 0)
        let port = UInt16(bigEndian: name.sin_port)
        let home = try Self.home(Services.file(api: "{ listen: 127.0.0.1:\(port) }"))
        let run = try home.corewire("doctor")
        #expect(run.status == 1)
        #expect(run.output.contains("cannot listen on 127.0.0.1:\(port)"), "\(run.output)")
        // Nobody connected, so the port is free as soon as it is let go.
        close(probe)
        #expect(try home.corewire("doctor").output.contains("127.0.0.1:\(port) is free"))
        let runner = try FoundRunner(in: home)
        let own = try runner.corewire("doctor")
        #expect(own.status == 0, "\(own.output)")
        #expect(own.output.contains("the runner listens on 127.0.0.1:\(port)"), "\(own.output)")
    }

    @Test("doctor reports a socket path that is too long, and a file in its place")
    func sockets() throws {
        let home = try Self.home()
        let folder = home.folder.url.appendingPathComponent("r/corewire/com.example.tasks")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        _ = unsafe chmod(home.folder.url.appendingPathComponent("r/corewire").path, 0o700)
        try Data().write(to: folder.appendingPathComponent("api.sock"))
        let file = try home.corewire("doctor")
        #expect(file.status == 1)
        #expect(file.output.contains("is not a socket"), "\(file.output)")
        let long = home.folder.url.appendingPathComponent(String(repeating: "x", count: 100)).path
        try FileManager.default.createDirectory(
            atPath: long,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let run = try home.corewire("doctor", environment: ["XDG_RUNTIME_DIR": long])
        #expect(run.status == 1)
        #expect(run.output.contains("the maximum for a socket is 107"), "\(run.output)")
    }

    @Test("doctor reports a limit of open files that is too low")
    func limits() throws {
        let home = try Self.home()
        let run = try Program.run(
            "bash",
            ["-c", "ulimit -n 300; exec '\(Program.corewire)' doctor"],
            in: home.work,
            environment: home.environment
        )
        #expect(run.status == 0, "a warning is no problem")
        #expect(run.output.contains("warning  limits"), "\(run.output)")
    }
}
