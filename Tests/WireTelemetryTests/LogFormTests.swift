import Foundation
import Support
import Testing
import WireBase
import WireTelemetry

@Suite("Log formats")
struct LogFormTests {
    static let moment: Int64 = 1_772_323_199_999
    static let record = LogRecord(
        level: .warning,
        module: "auth",
        message: "token refused",
        fields: [
            ("status", 401), ("at", .text("auth.url (app.yaml:12:3)")), ("took", .duration(.milliseconds(1_500))),
            ("final", false), ("share", .number(0.5)), ("who", "ada"),
        ]
    )

    private func text(_ form: some LogForm, _ record: LogRecord = record) -> String {
        String(decoding: form.bytes(of: record, at: Self.moment), as: UTF8.self)
    }

    @Test("text for terminals has aligned columns")
    func human() {
        #expect(
            text(HumanLogForm()) == "2026-02-28T23:59:59.999Z warning auth         token refused                    "
                + "status=401 at=\"auth.url (app.yaml:12:3)\" took=1.5s final=false share=0.5 who=ada\n"
        )
        let bare = LogRecord(level: .info, module: "runner", message: "ready", fields: [])
        #expect(text(HumanLogForm(), bare) == "2026-02-28T23:59:59.999Z info    runner       ready\n")
    }

    @Test("colours change no text")
    func colours() {
        let coloured = text(HumanLogForm(hasColours: true))
        #expect(coloured.contains("\u{1b}[33mwarning\u{1b}[0m"))
        #expect(coloured.replacing(/\u{1b}\[[0-9]+m/, with: "") == text(HumanLogForm()))
    }

    @Test("for a service manager the priority is in the line", arguments: zip(LogLevel.allCases, [7, 6, 5, 4, 3]))
    func priority(level: LogLevel, priority: Int) {
        let record = LogRecord(level: level, module: "auth", message: "token refused", fields: [("status", 401)])
        #expect(text(HumanLogForm(start: .priority), record) == "<\(priority)>auth: token refused status=401\n")
    }

    @Test("JSON logs have one object per line")
    func json() throws {
        let line = text(JSONLogForm())
        #expect(
            line == """
                {"time":"2026-02-28T23:59:59.999Z","level":"warning","module":"auth","message":"token refused",\
                "fields":{"status":401,"at":"auth.url (app.yaml:12:3)","took":1.5,"final":false,"share":0.5,"who":"ada"}}

                """
        )
        let strange = LogRecord(level: .error, module: "m", message: "m", fields: [("n", .number(.nan))])
        _ = try JSONSerialization.jsonObject(with: Data(text(JSONLogForm(), strange).utf8))
    }

    @Test("the journal gets fields")
    func journal() {
        #expect(
            text(JournalLogForm(identifier: "corewire")) == """
                MESSAGE=token refused
                PRIORITY=4
                SYSLOG_IDENTIFIER=corewire
                SYSLOG_TIMESTAMP=2026-02-28T23:59:59.999Z
                COREWIRE_MODULE=auth
                COREWIRE_FIELD_STATUS=401
                COREWIRE_FIELD_AT=auth.url (app.yaml:12:3)
                COREWIRE_FIELD_TOOK=1.5
                COREWIRE_FIELD_FINAL=false
                COREWIRE_FIELD_SHARE=0.5
                COREWIRE_FIELD_WHO=ada

                """
        )
    }

    static let forms: [any LogForm] = [
        HumanLogForm(), HumanLogForm(start: .priority), JSONLogForm(), JournalLogForm(identifier: "corewire"),
    ]
    static let attacks = [
        "x\n2026-02-28T23:59:59.999Z info    auth         forged", "x\r\nPRIORITY=0\nMESSAGE=forged", "x\u{0}y",
        "\u{1b}[2Jx\u{7}", "\u{9b}31m", "x\u{85}y\u{2028}z\u{2029}", "\u{202e}gnp.exe", "\n<0>forged\n",
        "\"} {\"level\":\"error", String(repeating: "\n", count: 100_000),
    ]

    @Test("no text can start a line, end a record or move the cursor", arguments: attacks)
    func injection(attack: String) {
        let record = LogRecord(
            level: .info,
            module: "a\(attack)",
            message: attack,
            fields: [("k\(attack)", .text(attack))]
        )
        for form in Self.forms {
            let bytes = form.bytes(of: record, at: Self.moment)
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.unicodeScalars.filter { $0 != "\n" }.allSatisfy { !$0.isUnfitForDisplay })
            #expect(text.split(separator: "\n").count == (form is JournalLogForm ? 6 : 1))
            #expect(text.hasSuffix("\n"))
        }
    }

    @Test(
        "a quoted value is unambiguous, whatever it contains",
        arguments: [
            (#"a" forged="1"#, #"k="a\" forged=\"1""#), (#"a\" forged="#, #"k="a\\\" forged=""#), ("", "k=\"\""),
            ("a\nb", #"k="a\u{a}b""#), (#"a\u{a}b"#, #"k="a\\u{a}b""#), ("a=b", "k=\"a=b\""),
        ]
    )
    func quoting(value: String, shown: String) {
        let record = LogRecord(level: .info, module: "m", message: "x", fields: [("k", .text(value))])
        #expect(text(HumanLogForm(start: .priority), record) == "<6>m: x \(shown)\n")
    }

    @Test("a text is shown up to 2048 characters, and up to 32 fields")
    func limits() {
        func line(_ message: String, fields: Int = 0) -> String {
            let fields = (0..<fields).map { (name: "f\($0)", value: LogValue.integer(1)) }
            let record = LogRecord(level: .info, module: "m", message: message, fields: fields)
            return text(HumanLogForm(start: .priority), record)
        }
        let whole = String(repeating: "x", count: 2_048)
        #expect(line(whole) == "<6>m: \(whole)\n")
        #expect(line(whole + "x") == "<6>m: \(whole)…\n")
        #expect(line("x", fields: 32).hasSuffix(" f30=1 f31=1\n"))
        #expect(line("x", fields: 33) == line("x", fields: 32))
    }

    @Test("the size of a record is limited")
    func size() {
        let long = String(repeating: "\u{feff}", count: 1_000_000)
        let fields = (0..<1_000).map { (name: "f\($0)", value: LogValue.text(long)) }
        let record = LogRecord(level: .info, module: "m", message: long, fields: fields)
        for form in Self.forms {
            #expect(form.bytes(of: record, at: 0).count <= 640 << 10)
        }
    }

    @Test(
        "times follow RFC 3339",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"), (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
        ] as [(Int64, String)]
    )
    func moments(moment: Int64, text: String) {
        #expect("\(Timestamp(milliseconds: moment))" == text)
    }
}
