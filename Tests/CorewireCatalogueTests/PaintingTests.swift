import CorewireCatalogue
import Foundation
import Support
import Testing
import WireConfig

@Suite("Painting a finished report")
struct PaintingTests {
    @Test(
        "a report painted later equals one printed with colours",
        arguments: Repository.files(below: "configs/broken", ending: ".yaml")
    )
    func looksTheSame(path: String) throws {
        let report = try Validation(path: Repository.root.appendingPathComponent(path).path).report()
        let plain = TextReport(report, isColoured: false).text
        let painted = TextReport.painted(plain, Paint(isOn: true))
        #expect(painted == TextReport(report, isColoured: true).text)
        // Where nothing is wrong there is nothing to paint.
        #expect(painted.contains("\u{1b}[") == !plain.isEmpty, "\(plain)")
    }

    @Test("a report is unchanged without colours")
    func staysAsItIs() {
        let text = "error[CW0203]: unknown key\n  --> a.yaml:1:1\n"
        #expect(TextReport.painted(text, Paint(isOn: false)) == text)
    }
}
