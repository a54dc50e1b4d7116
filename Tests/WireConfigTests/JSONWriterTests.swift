import Foundation
import Testing
import WireBase
import WireConfig

@Suite("Writing JSON")
struct JSONWriterTests {
    @Test("every character round-trips through another reader, and deceptive ones are escaped")
    func characters() throws {
        let all = (UInt32(0)...0x10ffff).compactMap(Unicode.Scalar.init)
        let text = String(String.UnicodeScalarView(all))
        let written = JSONValue.array([.string(text), .string("")]).bytes()
        let read = try JSONSerialization.jsonObject(with: Data(written)) as? [String]
        #expect(read?.first.map { Array($0.unicodeScalars) == all } ?? false)
        #expect(read?.last == "")
        let shown = String(decoding: written, as: UTF8.self).unicodeScalars
        #expect(shown.allSatisfy { !$0.isUnfitForDisplay })
        #expect(shown.contains("é") && shown.contains("🎉"))
    }

    @Test("values are written on one line, or indented by two spaces")
    func shapes() {
        let value = JSONValue.object([
            (key: "a\"b", value: .array([.integer(-7), .number(0.5), .boolean(true), .null])),
            (key: "none", value: .object([])), (key: "text", value: .string("line\nline\t\\")),
        ])
        #expect(value.text() == #"{"a\"b":[-7,0.5,true,null],"none":{},"text":"line\nline\t\\"}"#)
        let indented = """
            {
              "a\\"b": [
                -7,
                0.5,
                true,
                null
              ],
              "none": {},
              "text": "line\\nline\\t\\\\"
            }
            """
        #expect(value.text(indented: true) == indented)
        #expect(value.bytes(indented: true) == Array(indented.utf8))
    }
}
