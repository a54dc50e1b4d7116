import CorewireCatalogue
import Foundation
import Support
import Testing
import WireConfig
import WireMessageBus

@Suite("Local needs of a file")
struct LocalChecksTests {
    /// What the checks say of a file in a folder, about the keys whose paths begin in this way: each message names its key.
    private static func told(_ text: String, in folder: TemporaryFolder, about path: String) throws -> [String] {
        try folder.write("app: { id: com.example.one }\n" + text, to: "a.yaml")
        let validation = try Validation(path: folder.url.appendingPathComponent("a.yaml").path)
        let problems = LocalChecks(validation, environment: nil, today: "2026-01-01").problems()
        return problems.map(\.message).filter { $0.hasPrefix(path) }
    }

    @Test(
        "a file setting requires a file, a folder setting a folder, and both must exist",
        arguments: [
            ("backends: { files: { directory: folder } }", nil),
            ("backends: { files: { directory: file } }", "backends.files.directory: 'file' is a file, not a folder"),
            (
                "backends: { files: { directory: none } }",
                "backends.files.directory: the folder 'none' does not exist"
            ),
            ("backends: { graphql: { schema: file } }", nil),
            ("backends: { graphql: { schema: folder } }", "backends.graphql.schema: 'folder' is a folder, not a file"),
            ("backends: { graphql: { schema: none } }", "backends.graphql.schema: the file 'none' does not exist"),
            ("background: { downloads: { directory: folder } }", nil),
            ("background: { downloads: { directory: folder/new/below } }", nil),
            (
                "background: { downloads: { directory: file } }",
                "background.downloads.directory: 'file' is a file, not a folder"
            ),
            (
                "background: { downloads: { directory: /proc/new } }",
                "background.downloads.directory: files cannot be created in '/proc', a kernel file system"
            ),
            (
                "background: { downloads: { directory: /etc/passwd/new } }",
                "background.downloads.directory: '/etc/passwd' is a file, not a folder"
            ),
            (
                "background: { downloads: { directory: lost } }",
                "background.downloads.directory: the link 'lost' is broken"
            ),
        ] as [(String, String?)]
    )
    func kinds(section: String, problem: String?) throws {
        let folder = try TemporaryFolder()
        try folder.write("type Query { x: Int }\n", to: "file")
        try folder.write("", to: "folder/inside")
        let lost = folder.url.appendingPathComponent("lost").path
        try FileManager.default.createSymbolicLink(atPath: lost, withDestinationPath: "nowhere")
        #expect(try Self.told(section, in: folder, about: "back") == (problem.map { [$0] } ?? []))
    }

    @Test("a distributor needs a session bus, except in an embedded environment")
    func sessionBus() throws {
        let folder = try TemporaryFolder()
        let push =
            "push: { providers: [webPush], tokens: { webPush: { type: distributor } }, registrars: { a: \(Self.rest) } }"
        let file = "app: { id: com.example.one }\n\(push)\nnotifications: {}\n"
        func told(_ variables: [String: String], _ more: String = "") throws -> [String] {
            try folder.write(file + more, to: "a.yaml")
            let validation = try Validation(path: folder.url.appendingPathComponent("a.yaml").path)
            let bus = SessionBus({ variables[$0] }, user: 7)
            let problems = LocalChecks(validation, environment: nil, today: "2026-01-01", bus: bus).problems()
            return problems.map(\.message).filter { $0.contains("session bus") }
        }
        #expect(try told([:]) == ["push.tokens.webPush: there is no session bus at '/run/user/7/bus'"])
        let runtime = folder.url.path
        let missing = "push.tokens.webPush: there is no session bus at '\(runtime)/bus'"
        #expect(try told(["XDG_RUNTIME_DIR": runtime]) == [missing])
        try folder.write("", to: "bus")
        #expect(try told(["XDG_RUNTIME_DIR": runtime]) == [])
        #expect(try told(["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=x"]) == [])
        let remote = try told(["DBUS_SESSION_BUS_ADDRESS": "tcp:host=a"])
        #expect(remote.count == 1 && remote.first?.contains("DBUS_SESSION_BUS_ADDRESS") == true, "\(remote)")
        #expect(try told([:], "environments: { dev: { backend: embedded } }\nenvironment: dev\n") == [])
    }

    private static let rest = "{ type: rest, url: https://a.example.com, register: { body: '{{ token }}' } }"

    @Test("a program must exist and be executable")
    func programs() throws {
        let folder = try TemporaryFolder()
        let section = "notifications: { handlers: { h: { on: remote, exec: [./run] } } }"
        func told() throws -> [String] { try Self.told(section, in: folder, about: "notifications") }
        #expect(try told() == ["notifications.handlers.h.exec: the program './run' does not exist"])
        try folder.write("#!/bin/sh\n", to: "run")
        #expect(try told() == ["notifications.handlers.h.exec: './run' may not be run by this user"])
        let path = folder.url.appendingPathComponent("run").path
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        #expect(try told() == [])
    }

    @Test(
        "operations are found in documents, whatever comments, texts and selections contain",
        arguments: [
            ("query A { x }", ["A"]), ("mutation A { x } subscription B { x }", ["A", "B"]), ("query { x }", []),
            ("{ x }", []), ("fragment A on B { x }", []), ("query A($b: [C!]) { x { query B } }", ["A"]),
            ("# query A\nquery B { x }", ["B"]), (#"query A { x(t: "query B }") } query C { x }"#, ["A", "C"]),
            (#"query A { x(t: "\" query B }") } query C { x }"#, ["A", "C"]),
            ("\"\" query A { x }", ["A"]),
            ("\"\"\"\nquery A \" \\\n\"\"\"\nquery B { x }", ["B"]),
            ("\"\"\" \\\"\"\" query A { x } \"\"\" query B { x }", ["B"]),
            ("query @A { x } query B @C(t: 1) @A { x } query C { x }", ["B", "C"]),
            // What a file that cannot be read declares is not known.
            ("query A { x(t: \"open\n) } query B { x }", nil), ("\"\"\" query A { x }", nil), ("\" query A { x }", nil),
        ] as [(String, [String]?)]
    )
    func operations(document: String, names: [String]?) throws {
        let folder = try TemporaryFolder()
        try folder.write(document, to: "a.graphql")
        let sections = """
            sync: { url: https://api.example.com/graphql, authenticated: false, operations: a.graphql }
            notifications: { handlers: { h: { on: remote, refetch: [A, B, C] } } }
            """
        let missing = ["A", "B", "C"].filter { names?.contains($0) == false }
        let expected = missing.map { "notifications.handlers.h.refetch: unknown operation '\($0)'" }
        #expect(try Self.told(sections, in: folder, about: "notifications") == expected)
    }

    @Test("matching a pattern with too many alternatives is aborted", arguments: [(2, true), (18, false)])
    func manyWays(depth: Int, isFound: Bool) throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "r/a/" + String(repeating: "c/", count: depth) + "other")
        // It is looked for below 'r' itself first, and below 'b' last.
        try folder.write("query A { x }", to: "r/b/a/c/c/c/c/c/f.graphql")
        let pattern = "r/**/a/**/*/**/*/**/*/**/*/**/*/**/f.graphql"
        let section = "sync: { url: https://api.example.com/graphql, authenticated: false, operations: \(pattern) }"
        let problem = "sync.operations: no file matches '\(pattern)'"
        #expect(try Self.told(section, in: folder, about: "sync") == (isFound ? [] : [problem]))
    }
}
