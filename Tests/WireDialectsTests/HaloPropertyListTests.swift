import FoundationEssentials
import Testing
import WireAuth
import WireBase
import WireConfig
import WireDevice
import WireDialects

@Suite("HALO property lists")
struct HaloPropertyListTests {
    private func xml(_ settings: String) -> [UInt8] {
        Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist version=\"1.0\"><dict>\(settings)</dict></plist>".utf8)
    }

    private func text(_ key: String, _ value: String) -> String { "<key>\(key)</key><string>\(value)</string>" }

    private func imported(_ bytes: [UInt8]) throws -> String { try HaloPropertyList(bytes).servicesFile() }

    @Test("a property list is converted to a valid services file without secrets")
    func whole() throws {
        let written = try imported(try Fixture.bytes("halo/Halo.plist"))
        #expect(written == String(decoding: try Fixture.bytes("halo/Halo.yaml"), as: UTF8.self))
        #expect(!written.contains("hunter2"))
        let file = ReadFile(written, name: "corewire.yaml")
        #expect(file.result.problems.errorCount == 0, "\(file.problems)")
        #expect(try file.section(AuthSection.self, in: "stage").clientID?.text == "halo-client")
        #expect(try file.section(DeviceSection.self, in: "stage").systemTags)
    }

    @Test("the binary format gives the same result as XML")
    func binary() throws {
        struct Halo: Codable {
            var CLIENT_ID = "c"
            var CLIENT_SECRET = "hunter2"
            var ENABLE_SYSTEM_TAGS = false
            var ENVIRONMENT = "int"
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let binary = try imported(Array(try encoder.encode(Halo())))
        let settings = text("CLIENT_ID", "c") + text("CLIENT_SECRET", "hunter2") + text("ENVIRONMENT", "int")
        #expect(binary == (try imported(xml(settings + "<key>ENABLE_SYSTEM_TAGS</key><false/>"))))
        #expect(binary.contains("environment: int\n"))
        #expect(binary.contains("systemTags: false\n"))
        #expect(!binary.contains("hunter2"))
    }

    @Test(
        "environment names are case-insensitive, and none is prod",
        arguments: [("int", "int"), ("QA", "qa"), ("Stage", "stage"), ("PROD", "prod"), ("", "prod")]
    )
    func environments(written: String, chosen: String) throws {
        let file = ReadFile(try imported(xml(text("ENVIRONMENT", written))), name: "corewire.yaml")
        #expect(file.problems == [])
        #expect(try imported(xml(text("ENVIRONMENT", written))).contains("environment: \(chosen)\n"))
        #expect(try file.environment("qa").facts.baseURL?.host == "stage.halo-db.com")
    }

    @Test("any other environment name is a server URL")
    func customEnvironment() throws {
        let written = try imported(xml(text("ENVIRONMENT", "https://halo.example.com/api")))
        #expect(written.contains("environment: custom\n"))
        let file = ReadFile(written, name: "corewire.yaml")
        #expect(file.problems == [])
        #expect(try file.environment("custom").facts.baseURL?.description == "https://halo.example.com/api")
        #expect(throws: Fault.self) { try imported(xml(text("ENVIRONMENT", "nowhere at all"))) }
    }

    @Test("text that looks like YAML or a reference stays text")
    func quoting() throws {
        let odd = "a: ${env:HOME} $${x} &quot;\\ #"
        let file = ReadFile(
            try imported(xml(text("CLIENT_ID", odd) + text("CLIENT_SECRET", "hunter2"))),
            name: "corewire.yaml"
        )
        #expect(file.problems == [])
        #expect(try file.section(AuthSection.self, in: "prod").clientID?.text == "a: ${env:HOME} $${x} \"\\ #")
    }

    @Test("a user without an app signs in with its own references")
    func userOnly() throws {
        let file = ReadFile(
            try imported(xml(text("USERNAME", "ada") + text("PASSWORD", "hunter2"))),
            name: "corewire.yaml"
        )
        #expect(file.result.problems.errorCount == 0, "\(file.problems)")
        let names = Set(try file.environment("prod").references.map(\.reference.name))
        #expect(names == ["HALO_CLIENT_ID", "HALO_USERNAME", "HALO_PASSWORD"])
    }

    @Test(
        "a setting of the wrong type is rejected by name, without its value",
        arguments: [
            ("<key>CLIENT_ID</key><integer>5</integer>", "Halo.plist: CLIENT_ID: expected text"),
            (
                "<key>CLIENT_SECRET</key><array><string>hunter2</string></array>",
                "Halo.plist: CLIENT_SECRET: expected text"
            ),
            (
                "<key>ENABLE_SYSTEM_TAGS</key><string>hunter2</string>",
                "Halo.plist: ENABLE_SYSTEM_TAGS: expected a boolean"
            ),
            (
                "<key>DISABLE_SSL_PINNING</key><date>2020-01-01T00:00:00Z</date>",
                "Halo.plist: DISABLE_SSL_PINNING: expected a boolean"
            ),
            ("<key>ENVIRONMENT</key><dict/>", "Halo.plist: ENVIRONMENT: expected text"),
        ]
    )
    func wrongTypes(settings: String, message: String) {
        #expect(throws: Fault(message)) { try imported(xml(settings)) }
    }

    @Test(
        "booleans as text or number are accepted",
        arguments: [
            ("<string>YES</string>", true), ("<string>NO</string>", false), ("<integer>1</integer>", true),
            ("<true/>", true),
        ]
    )
    func booleans(written: String, value: Bool) throws {
        #expect(try imported(xml("<key>ENABLE_SYSTEM_TAGS</key>\(written)")).contains("systemTags: \(value)\n"))
    }

    @Test(
        "an invalid property list is rejected",
        arguments: [
            "", "hello", "{ CLIENT_ID = x; }", "<plist><dict><key>a</key>", "<plist><array/></plist>",
            "<plist><string>x</string></plist>",
            "bplist00", "bplist00\u{1}\u{2}\u{3}", "<html/>", "<plist>\u{0}</plist>",
        ]
    )
    func malformed(text: String) {
        #expect(throws: Fault.self) { try imported(Array(text.utf8)) }
    }

    @Test("the name of a list is shown up to 120 characters", arguments: [(120, ""), (121, "…")])
    func longNames(length: Int, end: String) throws {
        let name = String(repeating: "n", count: length)
        let shown = "\(name.prefix(120))\(end)"
        let written = try HaloPropertyList(xml(text("ENVIRONMENT", "int")), named: name).servicesFile()
        #expect(written.hasPrefix("# Imported from \(shown).\n"))
        let refusal = Fault("\(shown): ENVIRONMENT: expected text")
        #expect(throws: refusal) {
            try HaloPropertyList(xml("<key>ENVIRONMENT</key><dict/>"), named: name).servicesFile()
        }
    }

    @Test("unknown keys are kept, secrets as references, and all are reported")
    func unknownKeys() throws {
        let settings =
            text("COLOUR", "a: #b") + text("API_TOKEN", "hunter2") + "<key>SIZE</key><integer>5</integer>"
            + "<key>LIST</key><array/>" + text("CLIENT_ID", "c") + text("PASSWORD", "hunter3")
        let list = try HaloPropertyList(xml(settings))
        let written = try list.servicesFile()
        #expect(
            written.hasSuffix(
                """
                x-halo:
                  "API_TOKEN": "${env:HALO_API_TOKEN}"
                  "COLOUR": "a: #b"
                  "SIZE": 5

                """
            ),
            "\(written)"
        )
        #expect(!written.contains("hunter"))
        #expect(ReadFile(written, name: "corewire.yaml").result.problems.errorCount == 0)
        #expect(
            try list.outcomes().map { "\($0.key) \($0.fate)" } == [
                #"API_TOKEN reference("HALO_API_TOKEN", ["x-halo"])"#, #"CLIENT_ID taken(["auth.clientId"])"#,
                #"COLOUR kept("x-halo")"#, #"LIST left("a services file cannot hold a value of this type")"#,
                #"PASSWORD reference("HALO_PASSWORD", ["auth.password"])"#, #"SIZE kept("x-halo")"#,
            ]
        )
    }

    @Test("large, deep or circular lists are harmless")
    func hostile() throws {
        let size = xml(text("CLIENT_ID", "")).count
        let large = xml(text("CLIENT_ID", String(repeating: "x", count: (1 << 20) - size)))
        #expect(throws: Never.self) { try imported(large) }
        let tooLarge = Fault("Halo.plist is larger than 1MiB, the limit of a settings file")
        #expect(throws: tooLarge) { try imported(large + [0x0a]) }
        // The list and its dictionary are two of them.
        let lists = (0..<62).map { "<key>a\($0)</key><array/>" }.joined()
        #expect(throws: Never.self) { try imported(xml(lists)) }
        let tooMany = Fault("Halo.plist has more than 64 collections, the limit of a settings file")
        #expect(throws: tooMany) { try imported(xml(lists + "<key>a</key><array/>")) }
        #expect(throws: tooMany) { try imported(xml("<key>a</key>" + String(repeating: "<array>", count: 100_000))) }
        let hidden = String(repeating: "<array><!-- </array> -->", count: 20_000)
        #expect(throws: tooMany) { try imported(xml("<key>a</key>" + hidden)) }
        // A dictionary with a list that holds itself.
        var bytes = Array("bplist00".utf8) + [0xd1, 1, 2, 0x51, 0x61, 0xa1, 2]
        bytes +=
            [8, 11, 13] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 3] + Array(repeating: 0, count: 15) + [15]
        #expect(try HaloPropertyList(bytes).outcomes().map(\.key) == ["a"])
    }

    @Test("a damaged binary list is rejected or read, without a crash")
    func damaged() throws {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let whole = Array(try encoder.encode(["CLIENT_ID": "c", "ENVIRONMENT": "int", "PASSWORD": "hunter2"]))
        for index in 8..<whole.count {
            for value in [0x00, 0x7f, 0xff] as [UInt8] {
                var bytes = whole
                bytes[index] = value
                _ = try? imported(bytes)
            }
        }
    }
}
