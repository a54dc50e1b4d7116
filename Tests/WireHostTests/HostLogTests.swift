import Foundation
import Support
import Testing

@Suite("The host log")
struct HostLogTests {
    private func probe(_ words: [String], environment: [String: String] = [:]) throws -> Run {
        try Program.run(Peer.probe, words, environment: environment)
    }

    @Test("a file or pipe gets one JSON object per line, flushed at the end")
    func lines() throws {
        let run = try probe(["log", "ada\nlovelace"])
        #expect(run.output == "true\n")
        let object = try #require(try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any])
        #expect(object["message"] as? String == "token refused")
        #expect((object["fields"] as? [String: Any])?["who"] as? String == "ada\nlovelace")
        #expect(run.errors.filter(\.isNewline).count == 1)
    }

    @Test("a terminal gets readable lines, coloured unless disabled", arguments: ["", "NO_COLOR=1", "TERM=dumb"])
    func terminal(variable: String) throws {
        let pair = variable.split(separator: "=").map(String.init)
        let environment = pair.count == 2 ? [pair[0]: pair[1]] : [:]
        let run = try Program.run(
            Peer.python,
            [Peer.script("terminal"), Peer.probe, "log", "\u{1b}[2Jada"],
            environment: environment
        )
        #expect(run.output.contains("token refused"))
        #expect(run.output.contains(#"\u{1b}[2Jada"#) && !run.output.contains("\u{1b}[2J"))
        #expect(run.output.contains("\u{1b}[33mwarning") == variable.isEmpty)
    }

    @Test(
        "the journal gets fields if standard error is connected to it",
        arguments: [
            (kind: "true", isField: true), (kind: "stale", isField: false),
        ]
    )
    func journal(kind: String, isField: Bool) throws {
        let folder = try TemporaryFolder()
        let (socket, stream) = (folder.url.path + "/journal", folder.url.path + "/stream")
        let journal = try Child(Peer.python, [Peer.script("datagrams"), socket])
        #expect(journal.line() == "listening")
        let run = try Program.run(
            Peer.python,
            [Peer.script("journalled"), kind, stream, Peer.probe, "log", "ada\nPRIORITY=0"],
            environment: ["PROBE_JOURNAL": socket]
        )
        #expect(run.output == "true\n", "\(run.errors)")
        let written = try folder.text(of: "stream")
        if isField {
            let record = try #require(journal.line())
            let text = try #require(
                try JSONSerialization.jsonObject(with: Data(record.utf8), options: .fragmentsAllowed) as? String
            )
            #expect(text.hasPrefix("MESSAGE=token refused\nPRIORITY=4\nSYSLOG_IDENTIFIER=corewire\n"))
            #expect(text.hasSuffix("\nCOREWIRE_FIELD_STATUS=401\nCOREWIRE_FIELD_WHO=ada\\u{a}PRIORITY=0\n"))
            #expect(written == "")
        } else {
            #expect(written.hasPrefix("{"))
        }
    }

    @Test("without the journal socket its stream gets lines with priorities")
    func journalGone() throws {
        let folder = try TemporaryFolder()
        let run = try Program.run(
            Peer.python,
            [Peer.script("journalled"), "true", folder.url.path + "/stream", Peer.probe, "log", "ada"],
            environment: ["PROBE_JOURNAL": folder.url.path + "/nobody"]
        )
        #expect(run.output == "true\n")
        #expect(try folder.text(of: "stream") == "<4>auth: token refused status=401 who=ada\n")
    }

    @Test("a slow reader blocks nothing: dropped records are counted and reported, warnings last")
    func full() throws {
        let child = try Child(Peer.probe, ["flood", String(repeating: "x", count: 2_000)])
        // Nobody has read anything yet, and the pipe holds 64 KiB.
        let dropped = try #require(child.line().flatMap { Int($0) })
        #expect(dropped > 9_000)
        try child.say("")
        let written = child.errors.fileHandleForReading.readDataToEndOfFile()
        #expect(child.line() == "true" && child.end() == 0)
        let lines = String(decoding: written, as: UTF8.self).split(separator: "\n")
        let told = lines.filter { $0.contains("log records dropped") }.compactMap { line in
            line.firstMatch(of: /"count":([0-9]+)/).flatMap { Int($0.1) }
        }
        #expect(told.reduce(0, +) == dropped)
        #expect(lines.count - told.count + dropped == 10_002)
        #expect(lines.count { $0.contains("room is kept for this") } == 2)
    }

    @Test("a reader that never reads does not block the end of the program")
    func stuck() throws {
        let child = try Child(Peer.probe, ["stuck", String(repeating: "x", count: 2_000)])
        #expect(child.line() == "false")
        #expect(child.end() == 0)
    }
}
