import Foundation
import Support
import Testing
import WireHost

@Suite("Folders and the runner lock")
struct FolderTests {
    let scratch: TemporaryFolder
    var root: String { scratch.url.path }

    init() throws {
        scratch = try TemporaryFolder()
        allow(0o700, at: scratch.url.path)
    }

    private func allow(_ mode: mode_t, at path: String) { _ = unsafe chmod(path, mode) }

    private func link(_ path: String, to target: String) { _ = unsafe symlink(target, path) }

    private func mode(of path: String) -> mode_t? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    @Test("a downloads folder and its files are never world-writable", arguments: [0o000, 0o077])
    func downloads(mask: Int) async throws {
        let former = umask(mode_t(mask))
        defer { umask(former) }
        try await HostFiles().prepare("\(root)/downloads/today")
        let draft = try await HostFiles().open("part", in: "\(root)/downloads/today")
        #expect(mode(of: "\(root)/downloads") == 0o755 & ~mode_t(mask))
        #expect(mode(of: "\(root)/downloads/today") == 0o755 & ~mode_t(mask))
        #expect(mode(of: "\(root)/downloads/today/part") == 0o644 & ~mode_t(mask))
        _ = draft
    }

    @Test(
        "the service manager's folder precedes the user's, and a relative path is rejected",
        arguments: [
            (
                ["HOME": "/home/ada", "XDG_RUNTIME_DIR": "/run/user/7"], "/home/ada/.local/state/corewire/g",
                "/run/user/7/corewire/a"
            ),
            (["HOME": "/home/ada", "XDG_STATE_HOME": "/s"], "/s/corewire/g", "/tmp/corewire-7/a"),
            (
                ["HOME": "/home/ada", "XDG_STATE_HOME": "s", "XDG_RUNTIME_DIR": "r"],
                "/home/ada/.local/state/corewire/g", "/tmp/corewire-7/a"
            ),
            (
                ["STATE_DIRECTORY": "/var/lib/tasks:/x", "RUNTIME_DIRECTORY": "/run/tasks", "XDG_STATE_HOME": "/s"],
                "/var/lib/tasks/g", "/run/tasks/a"
            ),
            (["STATE_DIRECTORY": "/var/lib/tasks"], "/var/lib/tasks/g", "/tmp/corewire-7/a"),
        ]
    )
    func places(variables: [String: String], state: String, runtime: String) throws {
        let folders = try HostFolders(Environment(variables), group: "g", app: "a", user: 7)
        #expect([folders.state.path, folders.runtime.path] == [state, runtime])
    }

    @Test("without any setting there is an error")
    func nowhere() {
        #expect { try HostFolders(Environment(["HOME": "home"]), group: "g", app: "a", user: 7) } throws: {
            "\($0)" == "'XDG_STATE_HOME': not an absolute path; set it, HOME or STATE_DIRECTORY"
        }
    }

    @Test("a name that leads elsewhere is rejected", arguments: ["..", ".", "", "a/b", "a\0b"])
    func names(name: String) {
        #expect(throws: HostError.self) { try HostFolder("/tmp", [name]) }
    }

    @Test("missing folders are created for this user only, whatever the umask")
    func made() throws {
        let folder = try HostFolder(root + "/deep/base", ["corewire", "g"])
        try folder.prepare()
        try folder.prepare()
        for path in ["deep", "deep/base", "deep/base/corewire", "deep/base/corewire/g"] {
            #expect(mode(of: "\(root)/\(path)") == 0o700)
        }
    }

    @Test(
        "a link, a file or a folder open to others is rejected, with the reason",
        arguments: [
            ("link", "a link or a file, expected a folder"),
            ("file", "a link or a file, expected a folder"),
            ("0777", "other users may write to it (mode 0777, expected 0700)"),
            ("0720", "other users may write to it (mode 0720, expected 0700)"),
            ("0702", "other users may write to it (mode 0702, expected 0700)"),
        ]
    )
    func refused(kind: String, reason: String) throws {
        let path = root + "/corewire"
        switch kind {
        case "link": link(path, to: "/tmp")
        case "file": try scratch.write("", to: "corewire")
        default:
            try HostFolder(path, []).prepare()
            allow(try #require(mode_t(kind, radix: 8)), at: path)
        }
        #expect { try HostFolder(root, ["corewire"]).prepare() } throws: { "\($0)" == "'\(path)': \(reason)" }
    }

    @Test("a folder that cannot be created is reported with the system's reason")
    func unmade() throws {
        try scratch.write("", to: "file")
        #expect { try HostFolder(root + "/file/deep", ["corewire"]).prepare() } throws: {
            "\($0)" == "'\(root)/file/deep': not a directory"
        }
        // Nothing can be made there, which is another reason than that nothing is there.
        #expect { try HostFolder("/sys/corewire", []).prepare() } throws: {
            "\($0)".hasPrefix("'/sys/corewire': ") && !"\($0)".contains("no such file")
        }
    }

    @Test("a folder readable for others is accepted")
    func readable() throws {
        try HostFolder(root, ["corewire"]).prepare()
        allow(0o755, at: root + "/corewire")
        try HostFolder(root, ["corewire"]).prepare()
    }

    @Test("a world-writable base is rejected, unless it is sticky")
    func base() throws {
        allow(0o777, at: root)
        #expect { try HostFolder(root, ["corewire"]).prepare() } throws: {
            "\($0)".hasSuffix(": writable for all users (mode 0777)")
        }
        allow(0o770, at: root)
        try HostFolder(root, ["corewire"]).prepare()
        allow(0o1777, at: root)
        try HostFolder(root, ["corewire"]).prepare()
    }

    @Test("a folder of another user is rejected", .enabled(if: geteuid() == 0))
    func another() throws {
        try HostFolder(root, ["corewire"]).prepare()
        #expect(unsafe chown(root + "/corewire", 65_534, 65_534) == 0)
        #expect { try HostFolder(root, ["corewire"]).prepare() } throws: {
            "\($0)".hasSuffix(": owned by user 65534, expected 0")
        }
    }

    @Test("a second runner learns the process that holds the lock, and gets it when released")
    func lock() throws {
        let path = root + "/lock"
        let holder = try Child(Peer.probe, ["lock", path])
        #expect(holder.line() == "held by \(holder.number)")
        #expect { _ = try RunnerLock(at: path) } throws: {
            ($0 as? HostError)?.code == .lockHeld && "\($0)" == "'\(path)': held by process \(holder.number)"
        }
        try holder.say("")
        #expect(holder.line() == "let go")
        #expect(try scratch.text(of: "lock") == "")
        _ = try RunnerLock(at: path)
    }

    @Test("a killed runner holds no lock")
    func killed() throws {
        let path = root + "/lock"
        let holder = try Child(Peer.probe, ["lock", path])
        #expect(holder.line() == "held by \(holder.number)")
        holder.signal(SIGKILL)
        _ = holder.end()
        let lock = try RunnerLock(at: path)
        #expect(try scratch.text(of: "lock") == "\(getpid())\n")
        _ = consume lock
    }

    @Test("a link in place of the lock is rejected")
    func linkedLock() throws {
        try scratch.write("precious", to: "target")
        link(root + "/lock", to: root + "/target")
        #expect(throws: HostError.self) { _ = try RunnerLock(at: root + "/lock") }
        #expect(try scratch.text(of: "target") == "precious")
    }
}
