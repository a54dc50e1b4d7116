import Testing
import WireBase
import WireConfig

@Suite("Values of settings")
struct ValueTests {
    @Test(
        "plain scalars follow YAML 1.2 core",
        arguments: [
            ("", CoreScalar.null), ("~", .null), ("Null", .null), ("nUll", .text), ("true", .boolean(true)),
            ("FALSE", .boolean(false)),
            ("yes", .text), ("no", .text), ("on", .text), ("12", .integer(12)), ("-7", .integer(-7)),
            ("+7", .integer(7)),
            ("010", .integer(10)), ("0o17", .integer(15)), ("0xFF", .integer(255)), ("0o8", .text), ("0x", .text),
            ("1_000", .text), ("8080:80", .text), ("1e3", .number(1000)), (".5", .number(0.5)), ("5.", .number(5)),
            ("-.5", .number(-0.5)), ("+5.", .number(5)), ("5.e3", .number(5000)), (".5E-1", .number(0.05)),
            (".e5", .text), ("-.e5", .text), ("5e", .text), ("5e3.", .text), ("0x1p3", .text), ("-e5", .text),
            ("-0o7", .text), ("+12a", .text), ("~~", .text),
            (".inf", .number(.infinity)), ("-.INF", .number(-.infinity)), ("inf", .text), ("nan", .text),
            ("1.2.3", .text),
            ("99999999999999999999", .hugeInteger), ("2026-11-21", .text), ("e3", .text), ("-", .text), ("+", .text),
            (".", .text),
        ]
    )
    func coreScalars(text: String, value: CoreScalar) {
        #expect(CoreScalar(text) == value)
    }

    @Test(
        "durations have units, the larger ones first",
        arguments: [
            ("30s", 30_000), ("250ms", 250), ("1h30m", 5_400_000), ("7d", 604_800_000), ("3650d", 315_360_000_000),
            ("1d1ms", 86_400_001), ("0s", 0),
        ]
    )
    func durations(text: String, milliseconds: Int) throws {
        let duration = try Duration(parsing: text)
        #expect(duration == .milliseconds(milliseconds))
        #expect(duration.literal == .text(text))
    }

    @Test(
        "an invalid duration is rejected",
        arguments: ["", "30", "s", "5x", "30m1h", "1s1s", "-5s", "1.5s", "9999999999999999999s", "30 s"]
    )
    func badDurations(text: String) {
        #expect(throws: Misread.self) { try Duration(parsing: text) }
    }

    @Test("the pattern of a range accepts values inside it, and all sums of units")
    func ranges() throws {
        let times = try Regex(try #require(Duration.pattern(from: .seconds(1), to: .seconds(7 * 86_400))))
        for text in ["1s", "604800s", "007d", "7d", "1000ms", "604800000ms", "168h", "1h", "1h30m", "6d23h59m59s999ms"]
        {
            #expect(text.wholeMatch(of: times) != nil, "\(text)")
        }
        for text in ["0s", "604801s", "8d", "999ms", "604800001ms", "169h", "1m1h", "9d1h", "1h169m1h", "", "s", "1"] {
            #expect(text.wholeMatch(of: times) == nil, "\(text)")
        }
        let sizes = try Regex(try #require(ByteCount.pattern(from: .kibibytes(1), to: .kibibytes(1024))))
        for text in ["1KiB", "1MiB", "1024B", "1048576B", "2KB", "1048KB", "1MB"] {
            #expect(text.wholeMatch(of: sizes) != nil, "\(text)")
        }
        for text in ["1023B", "1048577B", "1KB", "1049KB", "2MiB", "1GiB", "0B"] {
            #expect(text.wholeMatch(of: sizes) == nil, "\(text)")
        }
        for (low, high) in [(0, 0), (0, 10), (7, 7), (1, 65_535), (95, 105), (999, 1_001), (13, 1_307)] {
            let pattern = try Regex(try #require(ByteCount.pattern(from: .bytes(low), to: .bytes(high))))
            for number in max(0, low - 120)...low + 120 {
                #expect(("\(number)B".wholeMatch(of: pattern) != nil) == (low...high).contains(number), "\(number)")
            }
            for number in max(0, high - 120)...high + 120 {
                #expect(("\(number)B".wholeMatch(of: pattern) != nil) == (low...high).contains(number), "\(number)")
            }
        }
    }

    @Test(
        "URLs round-trip",
        arguments: [
            "https://api.example.com", "http://127.0.0.1:8080/a/b?x=1#y", "wss://h/graphql", "https://[::1]:7/",
            "https://sub.example.co.uk/p%20q", "https://h:1", "https://h:65535/x",
        ]
    )
    func urls(text: String) throws {
        #expect(try WebURL(parsing: text).description == text)
    }

    @Test(
        "an invalid URL is rejected",
        arguments: [
            "", "api.example.com", "/path", "https://", "https:///x", "https://a b", "https://h:0", "https://h:65536",
            "https://h:x",
            "https://user:pass@h", "https://-h", "https://h..x", "https://1.2.3", "https://256.1.1.1", "https://[::zz]",
            "https://h\u{e9}",
            "https://h/<", "mailto:a@b",
        ]
    )
    func badURLs(text: String) {
        #expect(throws: Misread.self) { try WebURL(parsing: text) }
    }

    @Test(
        "local addresses are recognized",
        arguments: [
            ("http://localhost", true), ("http://a.localhost:1", true), ("http://127.9.9.9", true),
            ("http://[::1]", true), ("http://10.0.0.1", false), ("http://localhost.example.com", false),
        ]
    )
    func loopback(text: String, isLoopback: Bool) throws {
        #expect(try WebURL(parsing: text).isLoopback == isLoopback)
    }

    @Test("a relative URL is resolved against the base URL")
    func addresses() throws {
        let base = try WebURL(parsing: "https://h/api")
        #expect(try Address(parsing: "graphql").resolved(against: base)?.description == "https://h/api/graphql")
        #expect(try Address(parsing: "/graphql").resolved(against: base)?.description == "https://h/api/graphql")
        #expect(try Address(parsing: "https://x/y").resolved(against: base)?.description == "https://x/y")
        #expect(throws: Misread.self) { try Address(parsing: "../up") }
        #expect(throws: Misread.self) { try Address(parsing: "//h/x") }
    }

    @Test(
        "references follow RFC 3986, also from a URL without a path",
        arguments: [
            ("https://h", "/x", "https://h/x"), ("https://h", "x?a=1", "https://h/x?a=1"),
            ("https://h", "../x", "https://h/x"), ("https://h?q", "", "https://h?q"),
            ("https://h?q", "x", "https://h/x"),
            ("https://h/", "x", "https://h/x"), ("https://h/a/b", "c", "https://h/a/c"),
            ("https://h/a/b/", "../c", "https://h/a/c"), ("https://h/a", "//g/c", "https://g/c"),
            ("https://h/a", "http://g", "http://g"), ("https://h/a/b", "./", "https://h/a/"),
        ]
    )
    func references(base: String, reference: String, target: String) throws {
        #expect(try WebURL(parsing: base).resolving(reference)?.description == target)
    }

    @Test("a wildcard host matches one label")
    func hosts() throws {
        let host = try Host(parsing: "*.example.com")
        #expect(host.covers("api.example.com"))
        #expect(!host.covers("example.com") && !host.covers("a.b.example.com") && !host.covers("notexample.com"))
    }

    @Test("a pin is the base64 of 32 bytes, plain or as in OkHttp and curl")
    func pins() throws {
        let hash = "n3dNcH43TClpDuyYl55EwbTTAuj4T7IloK4GNaH1bnE="
        for text in [hash, "sha256/\(hash)", "sha256//\(hash)"] { #expect(try PinHash(parsing: text).base64 == hash) }
        for text in [
            "", "abc=", String(repeating: "a", count: 64), hash.dropLast() + "A", "sha1/\(hash)",
            hash.dropLast(2) + "F=",
        ] {
            #expect(throws: Misread.self, "\(text)") { try PinHash(parsing: text) }
        }
    }

    @Test("a template lists its variables")
    func templates() throws {
        let template = try Template(parsing: "Hi {{ user.name | upper | default: \"you\" }}: {{title}}")
        #expect(template.variables == ["user.name", "title"])
        #expect(template.variablesWithoutDefault == ["title"])
        for text in [
            "{{", "{{ }}", "{{ a b }}", "{{ a | loud }}", "{{ a | default }}", "{{ a | upper: 3 }}", "{{ a. }}",
        ] {
            #expect(throws: Misread.self, "\(text)") { try Template(parsing: text) }
        }
    }
}

@Suite("References")
struct ReferenceTests {
    @Test(
        "a reference is parsed",
        arguments: [
            ("${env:A}", Reference(kind: .environmentVariable, name: "A", fallback: nil)),
            (
                "${env:A:-b:-c}",
                Reference(kind: .environmentVariable, name: "A", fallback: ReferringText([.text("b:-c")]))
            ),
            ("${env:A:-}", Reference(kind: .environmentVariable, name: "A", fallback: ReferringText([.text("")]))),
            ("${file:a/b:c}", Reference(kind: .file, name: "a/b:c", fallback: nil)),
            ("${credential:x}", Reference(kind: .credential, name: "x", fallback: nil)),
        ]
    )
    func parsing(text: String, reference: Reference) throws {
        #expect(try ReferringText(parsing: text).references == [reference])
    }

    @Test("text around references is preserved, and '$${' stands for '${'")
    func text() throws {
        #expect(try ReferringText(parsing: "a $${x} $5 $").textFromDefaults == "a ${x} $5 $")
        #expect(try ReferringText(parsing: "https://${env:H:-h}/x").textFromDefaults == "https://h/x")
        #expect(try ReferringText(parsing: "https://${env:H}/x").textFromDefaults == nil)
    }

    @Test(
        "a default ends at the matching brace, and may contain references",
        arguments: [
            ("${env:A:-{\"k\":\"v\"}}", "{\"k\":\"v\"}", []),
            ("x${env:A:-{\"k\":{}}}}", "x{\"k\":{}}}", []),
            ("${env:A:-${env:B:-c}}/d", "c/d", ["B"]),
            ("${env:A:-a${env:B:-b${env:C:-c}}}", "abc", ["B", "C"]),
            ("${env:A:-$${x}}", "${x}", []),
            ("${env:A:-${env:B}}", nil, ["B"]),
            ("${env:A:-${file:b}}", nil, ["b"]),
        ] as [(String, String?, [String])]
    )
    func nested(text: String, value: String?, inner: [String]) throws {
        let parsed = try ReferringText(parsing: text)
        #expect(parsed.textFromDefaults == value)
        #expect(parsed.allReferences.map(\.name) == ["A"] + inner)
        #expect(parsed.spelling == text)
    }

    @Test("nested default text is text of the file, which a secret may not be")
    func secretDefaults() throws {
        #expect(try ReferringText(parsing: "${env:A:-${env:B:-hunter2}}").holdsTextOfItsOwn)
        #expect(try !ReferringText(parsing: "${env:A:-${env:B:-}}").holdsTextOfItsOwn)
        #expect(try !ReferringText(parsing: "${env:A:-${file:b}}").holdsTextOfItsOwn)
    }

    @Test(
        "an invalid reference is rejected",
        arguments: [
            "${", "${}", "${A}", "${env}", "${env:}", "${env:1A}", "${env:A-b}", "${vault:x}", "${env:A",
            "${env:A:-{}", "${env:A:-${env:B}", "${file:${env:B}/c}", "${env:${env:B}}", "${credential:${env:B}}",
            String(repeating: "${env:A:-", count: 9) + String(repeating: "}", count: 9),
        ]
    )
    func refused(text: String) {
        #expect(throws: Fault.self) { try ReferringText(parsing: text) }
    }
}

@Suite("Secrets and suggestions")
struct BaseTests {
    @Test("a secret cannot print itself")
    func secrets() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Optional(secret) as Any)"] {
            #expect(!text.contains("hunter2"))
        }
        #expect(secret.reveal() == "hunter2")
    }

    @Test(
        "the nearest name is found, or none",
        arguments: [
            ("redirectURl", "redirectUri"), ("client_id", "clientId"), ("retires", "retries"), ("SCOPES", "scopes"),
            ("zebra", nil), ("", nil), ("x", nil),
        ] as [(String, String?)]
    )
    func nearest(given: String, name: String?) {
        #expect(Nearest.name(to: given, among: ["redirectUri", "clientId", "retries", "scopes", "url"]) == name)
    }
}
