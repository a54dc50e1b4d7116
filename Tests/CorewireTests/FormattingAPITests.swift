import Corewire
import Support
import Testing

@Suite("Formatting through the Swift API")
struct FormattingAPITests {
    @Test("templates use the language of the file, or the requested one")
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
        let codes: [(String, CorewireError.Code)] = [
            ("{{ nothing }}", .noSuchValue), ("{{ who | nme }}", .invalidBody),
        ]
        for (template, code) in codes {
            let error = #expect(throws: CorewireError.self) { try formatting.fill(template, with: values) }
            #expect(error?.code == code)
        }
        await program.stop()
    }

    @Test("the file sets the format of dates, numbers, amounts and sizes, and the fallback")
    func declared() async throws {
        let program = try await EmbeddedProgram(
            sections: """
                formatting:
                  timeZone: Asia/Tokyo
                  dateStyle: short
                  timeStyle: none
                  numberGrouping: false
                  maxFractionDigits: 1
                  currency: USD
                  units: imperial
                  sizes: binary
                  fallback: "?"
                """
        )
        let template = """
            {{ due | date }}; {{ n | number }}; {{ n | currency }}; {{ warm | temperature }}; {{ far | length }}; \
            {{ size | bytes }}; {{ who | date }}
            """
        let values: [String: Corewire.FormattedValue] = [
            "due": "2027-03-01T20:00:00Z", "n": 12_345.678, "warm": 100, "far": 1_609.344, "size": 1_000_000,
            "who": "Ada",
        ]
        let text = try program.corewire.formatting.fill(template, with: values)
        #expect(text == "3/2/27; 12345.7; $12345.68; 212°F; 1 mi; 977 kB; ?")
        await program.stop()
        let other = try await EmbeddedProgram(sections: "formatting: { datePattern: yyyy-MM-dd HH:mm }\n")
        #expect(try other.corewire.formatting.fill("{{ due | date }}", with: values) == "2027-03-01 20:00")
        await other.stop()
    }

    @Test("a template with its values has at most 256 KiB")
    func limit() async throws {
        let program = try await EmbeddedProgram(sections: "formatting: {}\n")
        let (begin, json) = (#"{"template": "a""#, "Content-Type: application/json")
        let largest = begin + String(repeating: " ", count: 262_143 - begin.utf8.count) + "}"
        #expect(try await program.ask("POST", "/v1/formatting", [json], text: largest).status == 200)
        // What is too large is refused before any of it has come.
        let refused = try await program.ask("POST", "/v1/formatting", [json, "Content-Length: 262145"])
        #expect(refused.status == 413)
        await program.stop()
    }

    @Test("without the section formatting fails, and the error names the section")
    func absent() async throws {
        let program = try await EmbeddedProgram(sections: "persistence: {}\n")
        do {
            _ = try program.corewire.formatting.fill("a", with: [:])
            Issue.record("it was filled")
        } catch {
            #expect(error.code == .noService && error.help?.contains("formatting") == true)
        }
        await program.stop()
    }
}
