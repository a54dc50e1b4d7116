import Testing
import WireBase
import WireConfig
import WireDialects

@Suite("Probe")
struct ProbeTests {
    @Test func aliasDepth() {
        for (each, count) in [(50, 20), (50, 60)] {
            var text = "x-a:\n  k0: &a0 1\n"
            for index in 1...count {
                text += "  k\(index): &a\(index) " + String(repeating: "[", count: each) + "*a\(index - 1)" + String(repeating: "]", count: each) + "\n"
            }
            text += "services:\n  - { type: other, url: 'https://a.example.com', config: { v: *a\(count) } }\n"
            let file = ReadFile(text, name: "s.yaml")
            print("PROBE", each, count, file.problems.prefix(3).map { $0.prefix(120) })
        }
    }

    @Test func aliasSecret() {
        let file = ReadFile(
            """
            x-s: &s canary-0
            services:
              - { type: vault, url: 'https://a.example.com', config: { password: *s, list: &l [1, 2] } }
              - { type: keycloak, url: 'x y', config: { realm: r, resource: *s, credentials: { secret: *s }, more: *l } }
            """, name: "s.yaml")
        print("PROBE", file.problems)
        print("PROBE", file.report)
    }

    @Test func large() {
        let clock = ContinuousClock()
        for count in [5_000, 20_000, 40_000] {
            let many = (0..<count).map { "{\"id\": \"i\($0)\", \"type\": \"t\($0)\", \"url\": \"https://x.example.com\", \"config\": {\"a\": 1, \"b\": [1, 2]}}" }.joined(separator: ",")
            let time = clock.measure {
                let loader = Loader(formats: [.json], dialects: [.aeroGear], readFile: { _, _ throws(FileUnreadable) in [] })
                let loaded = loader.load(bytes: Array("{\"services\": [\(many)]}".utf8), name: "m.json")
                print("PROBE sources", loaded.sources.count, loaded.problems.warningCount)
            }
            print("PROBE", count, time)
        }
    }
}
