import Foundation
import Support
import Testing

@testable import WireLocalAPI

@Suite("The console page")
struct ConsolePageTests {
    @Test("script and style have the nonce of the response, and nothing else does")
    func nonce() {
        let page = ConsolePage.document(nonce: "bm9uY2U=")
        #expect(page.contains(#"<style nonce="bm9uY2U=">"#))
        #expect(page.contains(#"<script type="module" nonce="bm9uY2U=">"#))
        #expect(page.components(separatedBy: "bm9uY2U=").count == 3)
        #expect(page.components(separatedBy: "<script").count == 2)
        #expect(page.components(separatedBy: "<style").count == 2)
    }

    @Test("the policy allows only the nonce, the page's origin, and the tab icon")
    func policy() {
        let rules = ConsolePage.contentSecurityPolicy(nonce: "bm9uY2U=").components(separatedBy: "; ")
        #expect(
            rules == [
                "default-src 'none'", "script-src 'nonce-bm9uY2U='", "style-src 'nonce-bm9uY2U='",
                "connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'",
                "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
            ]
        )
    }

    @Test("an invalid nonce traps instead of weakening the policy", arguments: ["", "a'; script-src *"])
    func notANonce(text: String) async {
        await #expect(processExitsWith: .failure) { [text] in
            _ = ConsolePage.contentSecurityPolicy(nonce: text)
        }
    }

    @Test(
        "no text becomes markup or code, and no attribute contains handlers or styles",
        arguments: [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser",
            "createContextualFragment", "srcdoc", "javascript:", " style=\"", " onclick=\"", " onload=\"",
            " onerror=\"",
        ]
    )
    func injection(word: String) {
        #expect(!ConsolePage.document(nonce: "n").contains(word))
    }

    @Test("the page refers to no other origin")
    func addresses() throws {
        let page = ConsolePage.document(nonce: "n")
        let addresses = page.matches(of: /(https?:)?\/\/[a-z0-9.]+\.[a-z]+[^'"\s]*/).map { String($0.output.0) }
        // The name of a format, which nobody asks for.
        #expect(Set(addresses) == ["http://www.w3.org/2000/svg"])
        #expect(!page.contains("@import"))
        #expect(!page.contains("url("))
    }

    @Test("the page is under 200 kB, without comments and indentation")
    func size() {
        #expect(ConsolePage.document(nonce: "n").utf8.count < 200_000)
        let lines = ConsolePage.script.split(separator: "\n")
        #expect(lines.count > 1_000)
        #expect(!lines.contains { $0.hasPrefix("//") || $0.hasPrefix(" ") })
    }

    @Test("every element that the script uses exists in the page")
    func elements() {
        let page = ConsolePage.document(nonce: "n")
        let asked = Set(ConsolePage.script.matches(of: /byId\("([a-z-]+)"\)/).map { String($0.output.1) })
        let known = Set(page.matches(of: /\bid(?:="|: ")([a-z-]+)"/).map { String($0.output.1) })
        #expect(asked.count > 40)
        #expect(asked.subtracting(known).isEmpty)
    }

    static let python = Repository.root.appendingPathComponent(".build/python/bin/python3").path
    static let canBrowse =
        Program.isInstalled("chromium")
        && (try? Program.run(python, ["-c", "import playwright"]).status) == 0

    @Test("a browser shows a mock runner in good and bad states", .enabled(if: canBrowse))
    func browser() throws {
        let folder = try TemporaryFolder()
        try folder.write(ConsolePage.document(nonce: "NONCE"), to: "console.html")
        try folder.write(ConsolePage.contentSecurityPolicy(nonce: "NONCE"), to: "policy")
        let script = Repository.root.appendingPathComponent("Tests/WireLocalAPITests/Console/page_test.py").path
        let run = try Program.run(
            Self.python,
            [script, folder.url.path],
            environment: ["PYTHONDONTWRITEBYTECODE": "1"]
        )
        #expect(run.status == 0, "\(run.errors)")
    }
}
