import Support
import Testing

/// `corewire format`, over a runner.
@Suite("Templates from the command line")
struct FormatCommandTests {
    private static let file = """
        version: 1
        app: { id: com.example.tasks }
        environment: dev
        environments: { dev: { backend: embedded } }
        formatting: { locale: de-DE, timeZone: Europe/Berlin, fallback: "?" }
        backends: { listen: 127.0.0.1:0 }
        api: { socket: auto }

        """

    @Test("the language is that of the file, or the requested one, also after a reload")
    func language() async throws {
        let runner = try await RunningRunner(Self.file)
        let template = "{{ n | plural: \"one: ein Fall; other: # Fälle\" }}, {{ due | date: full }}"
        func format(_ more: String...) throws -> (status: Int32, output: String, errors: String) {
            let run = try runner.corewire(
                ["format", template, "-v", "n:=1234", "-v", "due=2027-03-01T23:30:00Z"] + more
            )
            return (run.status, run.output, run.errors)
        }
        #expect(try format().output == "1.234 Fälle, Dienstag, 2. März 2027\n")
        #expect(try format("--locale", "en", "--time-zone", "UTC").output == "1,234 Fälle, Monday, March 1, 2027\n")
        #expect(try await runner.reload(Self.file.replacing("de-DE", with: "fr")).status == 200)
        #expect(try format().output.hasSuffix("mardi 2 mars 2027\n"))
        #expect(try await runner.stop() == 0)
    }

    @Test("an incomplete template is rejected with help, and a value of the wrong kind uses the fallback")
    func wrong() async throws {
        let runner = try await RunningRunner(Self.file)
        let missing = try runner.corewire(["format", "{{ name }}"])
        #expect(missing.status == 1 && missing.errors.contains("no value for 'name'"), "\(missing.everything)")
        let filter = try runner.corewire(["format", "{{ n | plurral: \"other: #\" }}", "-v", "n=1"])
        let advice = "error: invalid template: unknown filter 'plurral', did you mean 'plural'?\n"
        #expect(filter.status == 1 && filter.errors == advice, "\(filter.everything)")
        let open = try runner.corewire(["format", "{{ n"])
        #expect(open.errors == "error: invalid template: write '}}' after the name\n", "\(open.everything)")
        let locale = try runner.corewire(["format", "a", "--locale", "de_DE"])
        let tag = "error: invalid locale: found 'de_DE', expected a language such as en-GB; write de-DE\n"
        #expect(locale.status == 1 && locale.errors == tag, "\(locale.everything)")
        let zone = try runner.corewire(["format", "a", "--time-zone", "Nope/Wien2"])
        let unknown = "error: unknown time zone 'Nope/Wien2'\n"
        #expect(zone.status == 1 && zone.errors == unknown, "\(zone.everything)")
        let json = try runner.corewire(["format", "{{ n }}", "-v", "n:=1 2"])
        #expect(json.status == 64, "\(json.everything)")
        #expect(try runner.corewire(["format", "{{ n | date }}", "-v", "n=soon"]).output == "?\n")
        #expect(try await runner.stop() == 0)
    }
}
