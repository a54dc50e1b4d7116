import Foundation
import Support
import Testing
import WireQR

@Suite("QR codes")
struct QRSymbolTests {
    @Test(
        "a QR reader decodes the text",
        arguments: [
            "http://127.0.0.1:7430/realms/tasks/device?user_code=WDJB-MJHT",
            "https://sso.example.com/device?user_code=ÄÖÜ-1",
            String(repeating: "x", count: 600),
        ]
    )
    func isRead(text: String) throws {
        let symbol = try #require(QRSymbol(text))
        let folder = try TemporaryFolder()
        let image = folder.url.appendingPathComponent("code.pbm")
        try Self.picture(of: symbol.halfBlocks).write(to: image, atomically: true, encoding: .ascii)
        let run = try Program.run("/usr/bin/zbarimg", ["--quiet", "--raw", "-Sbinary", "PBM:\(image.path)"])
        #expect(run.output.trimmingCharacters(in: .newlines) == text, "\(run.everything)")
    }

    @Test("a text that is too long, or empty, gives no symbol", arguments: ["", String(repeating: "x", count: 2_332)])
    func tooMuch(text: String) {
        #expect(QRSymbol(text) == nil)
    }

    @Test("a text of the maximum length gives a symbol, counted in bytes")
    func most() {
        #expect(QRSymbol(String(repeating: "x", count: 2_331))?.size == 177)
        #expect(QRSymbol(String(repeating: "ä", count: 1_166)) == nil)
    }

    /// What a terminal shows, as a portable bitmap: six dots a module, dark where nothing was drawn.
    private static func picture(of lines: [String]) -> String {
        let rows = lines.flatMap { line in
            [
                line.map { "█▀".contains($0) ? "0" : "1" },
                line.map { "█▄".contains($0) ? "0" : "1" },
            ]
        }
        let scale = 6
        let dots = rows.map { $0.flatMap { Array(repeating: $0, count: scale) }.joined(separator: " ") }
            .flatMap { Array(repeating: $0, count: scale) }
        return "P1\n\((rows.first?.count ?? 0) * scale) \(dots.count)\n\(dots.joined(separator: "\n"))\n"
    }
}
