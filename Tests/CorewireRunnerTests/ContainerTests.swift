import Foundation
import Support
import Testing

/// What `docs/containers.md` promises of an image, in the namespaces that a container engine makes.
@Suite("In a container")
struct ContainerTests {
    private static let namespaces = ["--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup", "--fork"]
    private static let user = "10001"

    /// Makes a root of memory out of the folders before `--`, and becomes process 1 in it by the words after that.
    ///
    /// Only the folder of the test is writable, of which the state and the cache are in memory.
    private static let enter = """
        home=$1; root=$home/root; shift
        mkdir "$root"
        mount -t tmpfs -o mode=755 tmpfs "$root"
        cp -P /bin /sbin /lib* "$root"
        while [ "$1" != -- ]; do
          mkdir -p "$root$1"
          mount --bind -o ro "$1" "$root$1"
          shift
        done
        shift
        mkdir -p "$root$home" "$root/proc" "$root/dev"
        mount -t proc proc "$root/proc"
        : > "$root/dev/null"
        mount --bind /dev/null "$root/dev/null"
        chown \(user) "$home/run"
        chmod 666 "$home"/*.notify
        mount --bind "$home" "$root$home"
        for name in state cache; do mount -t tmpfs -o mode=700,uid=\(user) tmpfs "$root$home/$name"; done
        cd "$root"
        mkdir host
        pivot_root . host
        umount -l host
        rmdir host
        mount -o remount,ro /
        exec env -u HOME setpriv --reuid \(user) --regid \(user) --clear-groups --no-new-privs --bounding-set=-all \\
          --pdeathsig KILL "$@"
        """

    private static let areThere: Bool = {
        let attempt = "mount -t tmpfs tmpfs /mnt; setpriv --reuid \(user) --bounding-set=-all true"
        return (try? Program.run("unshare", namespaces + ["sh", "-ec", attempt]))?.status == 0
    }()

    @Test(
        "the runner works as process 1 with a read-only root, a user without a name, no HOME, and state in memory",
        .enabled(if: areThere, "there are no namespaces here")
    )
    func image() async throws {
        let home = try TemporaryFolder()
        let folders = try ["/usr", Program.buildFolder.path] + Self.swiftLibraries()
        let shell = ["/bin/sh", "-ec", Self.enter, "sh", home.url.path] + folders + ["--"]
        let runner = try await RunningRunner(
            "version: 1\napp: { id: com.example.tasks }\npersistence: {}\napi: {}\n",
            in: home,
            below: ["/usr/bin/unshare"] + Self.namespaces + shell
        )
        let first = try #require(TaskTests.children(of: runner.program.id).first)
        let status = try String(contentsOfFile: "/proc/\(first)/status", encoding: .utf8)
        #expect(status.contains("\nUid:\t\(Self.user)\t"))
        #expect(status.contains("\nNSpid:\t\(first)\t1\n"))
        let variables = try String(contentsOfFile: "/proc/\(first)/environ", encoding: .utf8).split(separator: "\0")
        #expect(!variables.contains { $0.hasPrefix("HOME=") })
        let mounts = try String(contentsOfFile: "/proc/\(first)/mountinfo", encoding: .utf8)
        #expect(mounts.contains(" / / ro,"), "\(mounts)")
        #expect(try await runner.ask("GET", "/readyz").status == 200)
        #expect(try await runner.ask("PUT", "/v1/state/drafts/a", text: "kept").status == 201)
        #expect(try await runner.ask("GET", "/v1/state/drafts/a").text == "kept")
        let outside = home.url.appendingPathComponent("state").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside).isEmpty)
        // Process 1 is asked, as a container engine asks it: what is above it blocks the signal.
        kill(first, SIGTERM)
        #expect(try await runner.program.end() == 0, "\(runner.log)")
    }

    /// The folder of Swift's libraries, which programs find where the tests find it; none where they are linked in.
    private static func swiftLibraries() throws -> [String] {
        let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        let path = maps.split(separator: "\n").lazy.compactMap { $0.split(separator: " ").last }
            .first { $0.hasSuffix("/libswiftCore.so") }
        return path.map { [URL(fileURLWithPath: String($0)).deletingLastPathComponent().path] } ?? []
    }
}
