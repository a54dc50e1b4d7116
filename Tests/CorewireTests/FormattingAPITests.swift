import Corewire
import Support
import Testing

@Suite("Formatting, from the program the services run in")
struct FormattingAPITests {
    @Test("templates are filled by the file's language, and by another where that is asked for")
    func filled() async throws {
        let program = try await EmbeddedProgram(sections: "formatting: { locale: de-DE, currency: EUR }\n")
        let formatting = program.corewire.formatting
        let template = "{{ who | name }}: {{ sum | currency }} für {{ items | list }}"
        let values: [String: Corewire.FormattedValue] = [
            "who": ["given_name": "Ada", "family_name": "Lovelace"], "sum": 1234.5, "items": ["a", "b", 3],
        ]
        let german = try formatting.fill(template, with: values)
        #expect(german.replacing("\u{A0}", with: " ") == "Ada Lovelace: 1.234,50 € für a, b und 3")
        #expect(try formatting.fill(template, with: values, locale: "en") == "Ada Lovelace: €1,234.50 für a, b, and 3")
        #expect(throws: Corewire.FormattingError.self) { try formatting.fill("{{ nothing }}", with: values) }
        #expect(throws: Corewire.FormattingError.self) { try formatting.fill("{{ who | nme }}", with: values) }
        await program.stop()
    }

    @Test("without the section nothing is formatted, and the error says what to add")
    func absent() async throws {
        let program = try await EmbeddedProgram(sections: "persistence: {}\n")
        do {
            _ = try program.corewire.formatting.fill("a", with: [:])
            Issue.record("it was filled")
        } catch {
            #expect(error.code == .noFormatting && error.help?.contains("formatting") == true)
        }
        await program.stop()
    }
}
