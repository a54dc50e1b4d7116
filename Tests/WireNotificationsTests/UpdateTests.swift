import Foundation
import Support
import Synchronization
import Testing
import WireBase
import WireConfig
import WireDownloadContract
import WireHTTP
import WireService
import Workbench

@testable import WireNotifications

@Suite("Updated and replaced notifications")
struct UpdateTests {
    private static let section = """
        permission: granted
        handlers:
          show: { on: presentable, present: [list, badge] }
          note: { on: any, exec: [note, "{{ title }}"] }
        """

    private static func titles(_ bench: NotificationBench) async throws -> [String] {
        let page = try await bench.ask(.get, "/v1/notifications").json
        return (page["notifications"]?.array ?? []).compactMap { $0["title"]?.string }
    }

    @Test("the same id with other content is an update: handlers run, and it replaces the shown one")
    func update() async throws {
        let folder = try TemporaryFolder()
        let bench = try await NotificationBench(Self.section, in: folder)
        try await bench.send(#"{"id":"a","title":"one","data":{"x":1,"y":2}}"#)
        _ = try await bench.done("a")
        let other = try await bench.ask(.post, "/v1/notifications", #"{"id":"a","title":"two","data":{"x":1,"y":2}}"#)
        #expect(other.status == 201)
        #expect(other.json["update"]?.boolean == true)
        let known = try await bench.done("a")
        #expect(known["update"]?.boolean == true)
        #expect(known["title"]?.string == "two")
        #expect(known["notification"]?["title"]?.string == "two")
        #expect(bench.programs.calls(of: "note") == [["one"], ["two"]])
        #expect(try await Self.titles(bench) == ["two"])
        #expect(try await bench.ask(.get, "/v1/notifications").json["unread"]?.integer == 1)
        #expect(bench.events("shown").map { $0["replaces"]?.string } == [nil, "a"])
        #expect(bench.events("received").map { $0["update"]?.boolean } == [nil, true])
        // Either of them again is a delivery repeated, whatever the order of its members.
        for body in [
            #"{"id":"a","data":{"y":2,"x":1},"title":"two"}"#, #"{"id":"a","title":"one","data":{"x":1,"y":2}}"#,
        ] {
            #expect(try await bench.ask(.post, "/v1/notifications", body).json["new"]?.boolean == false)
        }
        await bench.end()
        let next = try await NotificationBench(Self.section, in: folder)
        #expect(
            try await next.ask(.post, "/v1/notifications", #"{"id":"a","title":"two","data":{"x":1,"y":2}}"#).status
                == 200
        )
        #expect(try await next.ask(.post, "/v1/notifications/a/read").status == 204)
        #expect(try await next.ask(.delete, "/v1/notifications/a").status == 204)
        #expect(next.programs.calls.isEmpty)
        await next.end()
    }

    @Test("an update during handling is handled in parallel, and the later one stays")
    func beside() async throws {
        let programs = ScriptedPrograms()
        let barrier = programs.barrier("slow")
        let bench = try await NotificationBench(
            """
            permission: granted
            handlers:
              slow: { on: presentable, when: { first: present }, exec: [slow], present: [list] }
              show: { on: presentable, when: { first: absent }, present: [list] }
            """,
            programs: programs
        )
        try await bench.send(#"{"id":"a","title":"one","data":{"first":1}}"#)
        #expect(await eventually { programs.calls.count == 1 })
        try await bench.send(#"{"id":"a","title":"two"}"#)
        #expect(await eventually { bench.events("shown").count == 2 })
        barrier.fire()
        _ = try await bench.done("a")
        #expect(try await Self.titles(bench) == ["two"])
        await bench.end()
    }

    @Test("fields added by a provider do not make a repeated push an update")
    func onTheWay() async throws {
        let bench = try await NotificationBench(Self.section)
        for time in ["1", "2"] {
            try await bench.send(#"{"payload":{"from":"crm","uid":"7","title":"A","google.sent_time":"\#(time)"}}"#)
        }
        _ = try await bench.done("crm:7")
        #expect(bench.programs.calls(of: "note") == [["A"]])
        await bench.end()
    }

    @Test(
        "a notification with the same collapse key is replaced in the list",
        arguments: [
            #""collapse_key":"k","notification":{"title":"T"}"#,
            #""apns-collapse-id":"k","aps":{"alert":{"title":"T"}}"#,
            #""notification":{"title":"T","tag":"k"}"#, #""title":"T","tag":"k""#,
            #""message":{"android":{"notification":{"tag":"k"}},"notification":{"title":"T"}}"#,
        ]
    )
    func collapse(members: String) async throws {
        let bench = try await NotificationBench(Self.section)
        for (index, from) in ["crm", "crm", "ups"].enumerated() {
            let title = members.replacingOccurrences(of: "T", with: "t\(index)")
            try await bench.send(#"{"payload":{"from":"\#(from)","uid":"\#(index)",\#(title)}}"#)
            _ = try await bench.done("\(from):\(index)")
        }
        #expect(try await Self.titles(bench) == ["t2", "t1"])
        #expect(bench.events("shown").map { $0["replaces"]?.string } == [nil, "crm:0", nil])
        #expect(bench.programs.calls(of: "note").count == 3)
        await bench.end()
    }

    @Test("notifications without a collapse key are not replaced", arguments: ["do_not_collapse", "com.example.tasks"])
    func uncollapsed(key: String) async throws {
        let bench = try await NotificationBench(Self.section)
        for index in 0..<2 {
            let body = #""uid":"\#(index)","collapse_key":"\#(key)","notification":{"title":"t\#(index)"}"#
            try await bench.send(#"{"payload":{"from":"crm",\#(body)}}"#)
            _ = try await bench.done("crm:\(index)")
        }
        #expect(try await Self.titles(bench) == ["t1", "t0"])
        await bench.end()
    }

    @Test("corewire's own format has a collapse key and an urgency, which are shown")
    func own() async throws {
        let bench = try await NotificationBench(Self.section)
        for id in ["a", "b"] {
            try await bench.send(#"{"id":"\#(id)","title":"\#(id)","collapseKey":"k","urgency":"critical"}"#)
            _ = try await bench.done(id)
        }
        #expect(try await Self.titles(bench) == ["b"])
        #expect(bench.events("shown").last?["urgency"]?.string == "critical")
        #expect(try await bench.ask(.post, "/v1/notifications", #"{"title":"x","urgency":"high"}"#).status == 400)
        await bench.end()
    }
}

@Suite("Notification ids")
struct NameTests {
    private static let ids = [
        "0:1500415314455276%31bd1c9631bd1c96", "a/b", "a@b", "a b", "100%", "%2F", "..", ".", "grüße-\u{1F600}", "read",
        "stream", "permission", "?x=1#y", "-rf", String(repeating: "x", count: 199), String(repeating: "ä", count: 300),
    ]

    /// As a client writes an id into a path.
    private static func segment(_ id: String) -> String {
        id.utf8.map { byte in
            byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + Hexadecimal.text(of: [byte])
        }.joined()
    }

    @Test("a download handler, the list, taps and results work with any id", arguments: ids)
    func any(id: String) async throws {
        let downloads = NotedDownloads()
        let bench = try await NotificationBench(
            """
            permission: granted
            handlers:
              fetch: { on: presentable, when: { url: present }, download: "{{ url }}" }
              show: { on: presentable, present: [list] }
            """,
            offering: [ServiceAbility.downloads.offered(by: downloads)]
        )
        let payload = JSONValue.members([
            "payload": .members([
                "aerogear-push-id": .string(id), "title": .string("x"), "url": .string("https://example.com/a"),
            ])
        ])
        let name = try await bench.send(payload.text())
        let path = "/v1/notifications/\(Self.segment(name))"
        let known = try await bench.done(name)
        #expect(known["result"]?.string == "newData", "\(known.text())")
        #expect(try await bench.ask(.get, path).json["id"]?.string == name)
        #expect(try await bench.ask(.post, "\(path)/read").status == 204)
        #expect(try await bench.ask(.post, "\(path)/tap").status == 202)
        #expect(try await bench.ask(.delete, path).status == 204)
        #expect(downloads.refused.isEmpty && downloads.wished.count == 1, "\(downloads.refused)")
        await bench.end()
    }

    @Test(
        "a long id, or one with control characters, is replaced by its digest",
        arguments: ["\u{1b}[2J", "a\nb", String(repeating: "x", count: 201)]
    )
    func unfit(id: String) async throws {
        let bench = try await NotificationBench(IntakeTests.note)
        let payload = JSONValue.members([
            "payload": .members(["aerogear-push-id": .string(id), "title": .string("x")])
        ])
        let name = try await bench.send(payload.text())
        #expect(name.hasPrefix("sha256:") && name.utf8.count == 71, "\(name)")
        #expect(try await bench.send(payload.text()) == name)
        await bench.end()
    }

    @Test("a download handler also downloads for an update, and not for a repetition")
    func updated() async throws {
        let downloads = NotedDownloads()
        let bench = try await NotificationBench(
            "handlers: { fetch: { on: presentable, download: \"{{ url }}\" } }",
            offering: [ServiceAbility.downloads.offered(by: downloads)]
        )
        for number in [1, 2, 2] {
            let body = #""aerogear-push-id":"a","title":"x","url":"https://example.com/\#(number)""#
            try await bench.send("{\"payload\":{\(body)}}")
            #expect(await eventually { downloads.wished.count == number })
        }
        #expect(Set(downloads.wished).count == 2 && downloads.refused.isEmpty, "\(downloads.wished)")
        await bench.end()
    }
}

/// Downloads that judge ids as the real ones do.
private final class NotedDownloads: Downloads {
    private let state = Mutex<(wished: [String], refused: [String])>(([], []))
    var wished: [String] { state.withLock { $0.wished } }
    var refused: [String] { state.withLock { $0.refused } }

    func fetch(_ streamRequest: NewDownload) async throws(DownloadFailure) -> Download {
        let id = streamRequest.id ?? ""
        let isID =
            (1...200).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                byte.isLetter || byte.isDigit || "._-:~".utf8.contains(byte)
            }
        guard isID else {
            state.withLock { $0.refused.append(id) }
            throw DownloadFailure(.invalid, "found the id \(id.quoted)")
        }
        state.withLock { $0.wished.append(id) }
        return Download(id, streamRequest.address, .waiting, service: streamRequest.service, created: 0)
    }

    var all: [Download] { [] }
    func find(_ id: String) -> Download? { nil }
    func ended(_ id: String) async -> Download? { nil }
    func watch(_ id: String) -> AsyncStream<Download> { AsyncStream { $0.finish() } }
}
