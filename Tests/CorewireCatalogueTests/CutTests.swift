import CorewireCatalogue
import Testing
import WireConfig

@Suite("Truncated files")
struct CutTests {
    private static let canary = "c4n4ry-s3cr3t-0815"

    private static let file = """
        version: 1
        app: { id: com.example.one }
        environment: dev
        x-shared: &shared { clientSecret: \(canary) }
        environments:
          dev: { backend: embedded, auth: { clientSecret: \(canary) } }
        auth:
          clientSecret: "\(canary)"
          username: kiosk
          password: >-
            \(canary)
        push:
          tokens: { apns: { value: \(canary) } }
          registrars:
            ups: { type: unifiedPush, url: "https://push.example.com", variantId: v, variantSecret: '\(canary)' }
            hc: { type: healthCloud, path: n, apiKey: "${env:HC:-\(canary)}" }
            crm: { type: altcraft, url: "https://pxl.example.com", rToken: \(canary) }

        """

    @Test("a truncation at any byte exposes no secret")
    func secrets() {
        let bytes = Array(Self.file.utf8)
        var told = ""
        for length in stride(from: 1, to: bytes.count, by: 3) {
            let report = Validation(bytes: Array(bytes[..<length]), name: "a.yaml").report()
            let text = TextReport(report, isColoured: false).text + JSONReport(report).value.text()
            #expect(!text.contains(Self.canary.prefix(8)), "cut at \(length)")
            told += text
        }
        #expect(told.contains("[redacted]"), "lines with secrets were shown, and these in their place")
    }
}
