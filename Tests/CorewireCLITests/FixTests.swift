import Foundation
import Support
import Testing

@Suite("--fix")
struct FixTests {
    static let cases: [(name: String, before: String, after: String)] = [
        (
            "misspelt keys and words, with comments and layout kept",
            "# top  \nversion: 1\napp:   { id: com.example.one }   # one\n\n\nnetwork:\n  retires:   3 # here\n  offlinePolicy: nnoe\n  timeout: 30\n",
            "# top  \nversion: 1\napp:   { id: com.example.one }   # one\n\n\nnetwork:\n  retries:   3 # here\n  offlinePolicy: none\n  timeout: 30s\n"
        ),
        (
            "missing quotes",
            "app: { id: com.example.one, name: x }\nauth:\n  url: https://h.example.com\n  clientId: a\n  guidance:\n    blocked: Sorry: it's blocked\n",
            "app: { id: com.example.one, name: x }\nauth:\n  url: https://h.example.com\n  clientId: a\n  guidance:\n    blocked: 'Sorry: it''s blocked'\n"
        ),
        (
            "references without quotes in braces and brackets, however many",
            "app: { id: ${env:ID:-com.example.one}, name: x } # one\nauth:\n  url: https://h.example.com\n  clientId: ${env:C:-a}\n  scopes: [openid,   ${env:S:-offline_access}, ${env:T:-profile}]\nnetwork: {\n  timeout: ${env:TIMEOUT:-3s},\n  proxy: http://${env:V:-proxy.example.com}:80 # two\n}\n",
            "app: { id: \"${env:ID:-com.example.one}\", name: x } # one\nauth:\n  url: https://h.example.com\n  clientId: ${env:C:-a}\n  scopes: [openid,   \"${env:S:-offline_access}\", \"${env:T:-profile}\"]\nnetwork: {\n  timeout: \"${env:TIMEOUT:-3s}\",\n  proxy: \"http://${env:V:-proxy.example.com}:80\" # two\n}\n"
        ),
        (
            "line ends and the byte order mark",
            "\u{feff}app: { id: com.example.one }\r\nnetwork: { timeuot: 3s }\r\n",
            "\u{feff}app: { id: com.example.one }\r\nnetwork: { timeout: 3s }\r\n"
        ),
    ]

    @Test("certain fixes are applied, and every other byte is preserved", arguments: cases.indices)
    func fix(index: Int) throws {
        let (_, before, after) = Self.cases[index]
        let folder = try TemporaryFolder()
        try folder.write(before, to: "a.yaml")
        let run = try Program.corewire(["validate-config", "a.yaml", "--fix"], in: folder.url)
        #expect(run.status == 0, "\(run.everything)")
        #expect(try folder.text(of: "a.yaml") == after)
    }

    @Test(
        "a web URL becomes a WebSocket URL, without TLS only on this machine",
        arguments: [
            ("https://api.example.com/g", "wss://api.example.com/g"), ("https://localhost/g", "wss://localhost/g"),
            ("http://localhost:4000/g", "ws://localhost:4000/g"), ("ftp://api.example.com/g", nil),
        ] as [(String, String?)]
    )
    func webSocket(before: String, after: String?) throws {
        let folder = try TemporaryFolder()
        let text = "sync: { url: https://api.example.com/g, authenticated: false, webSocketUrl: @ }\n"
        try folder.write(text.replacing("@", with: before), to: "a.yaml")
        let run = try Program.corewire(["validate-config", "a.yaml", "--fix"], in: folder.url)
        #expect(run.status == (after == nil ? 1 : 0), "\(run.everything)")
        #expect(try folder.text(of: "a.yaml") == text.replacing("@", with: after ?? before))
    }

    @Test(
        "a mistyped scheme is corrected, and an uncertain one is left alone",
        arguments: [
            ("https//sso.example.com", "https://sso.example.com"),
            ("htps://sso.example.com", "https://sso.example.com"),
            ("https;//sso.example.com", "https://sso.example.com"),
            ("https:/sso.example.com", "https://sso.example.com"),
            ("https:sso.example.com", "https://sso.example.com"),
            ("https.://sso.example.com", "https://sso.example.com"),
            ("https:///sso.example.com", "https://sso.example.com"),
            ("https://https://sso.example.com", "https://sso.example.com"), ("sso.example.com", nil),
            ("//sso.example.com", nil), ("https/sso.example.com", nil),
        ] as [(String, String?)]
    )
    func scheme(before: String, after: String?) throws {
        let folder = try TemporaryFolder()
        let text = "app: { id: com.example.one }\nauth:\n  url: @ # here\n  clientId: a\n"
        try folder.write(text.replacing("@", with: before), to: "a.yaml")
        let run = try Program.corewire(["validate-config", "a.yaml", "--fix"], in: folder.url)
        #expect(run.status == (after == nil ? 1 : 0), "\(run.everything)")
        #expect(try folder.text(of: "a.yaml") == text.replacing("@", with: after ?? before))
    }

    @Test("JSON keys keep their quotes")
    func json() throws {
        let folder = try TemporaryFolder()
        try folder.write("{ \"app\": { \"id\": \"com.example.one\" }, \"network\": { \"retires\": 3 } }", to: "a.json")
        #expect(try Program.corewire(["validate-config", "a.json", "--fix"], in: folder.url).status == 0)
        let after = "{ \"app\": { \"id\": \"com.example.one\" }, \"network\": { \"retries\": 3 } }"
        #expect(try folder.text(of: "a.json") == after)
    }

    @Test("ambiguous mistakes, and files without mistakes, are left alone")
    func uncertain() throws {
        let folder = try TemporaryFolder()
        for (key, status) in [("zzz", 1), ("retries", 0)] as [(String, Int32)] {
            let text = "app: { id: com.example.one }\nnetwork: { \(key): 1 }\n"
            try folder.write(text, to: "a.yaml")
            #expect(try Program.corewire(["validate-config", "a.yaml", "--fix"], in: folder.url).status == status)
            #expect(try folder.text(of: "a.yaml") == text)
        }
    }

    @Test("the permissions of the file are preserved")
    func permissions() throws {
        let folder = try TemporaryFolder()
        try folder.write("app: { id: com.example.one }\nnetwork: { timeuot: 3s }\n", to: "a.yaml")
        let path = folder.url.appendingPathComponent("a.yaml").path
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(try Program.corewire(["validate-config", "a.yaml", "--fix"], in: folder.url).status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["a.yaml"])
    }

    @Test("values shared by an alias, and names of environments, are not changed")
    func shared() throws {
        let folder = try TemporaryFolder()
        let texts = [
            "app: { id: com.example.one }\nnetwork: { timeout: &t 30 }\ndevice: { register: never, alias: *t }\n",
            "app: { id: com.example.one }\nenvironment: prdo\nenvironments: { prod: { backend: embedded } }\n",
        ]
        for text in texts {
            try folder.write(text, to: "a.yaml")
            #expect(try Program.corewire(["validate-config", "a.yaml", "--fix"], in: folder.url).status == 1)
            #expect(try folder.text(of: "a.yaml") == text)
        }
    }
}
