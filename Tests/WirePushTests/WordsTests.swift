import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WirePush
import WireWorkContract
import Workbench

@Suite("Texts of subscriptions")
struct PushWordsTests {
    private static let token = String(repeating: "ab", count: 32)
    private static let file = """
        push:
          providers: [apns]
          tokens: { apns: { file: apns } }
          registrars:
            it:
              type: altcraft
              url: https://crm.example.com
              rToken: role
              needs: []
              categories: { news: { title: News, steady: true } }

        """

    private func bench() async throws -> PushBench {
        try await PushBench(Self.file, sources: Sources(["apns": Self.token]))
    }

    @Test("a named category has the title of the file")
    func category() async throws {
        let bench = try await bench()
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        let body = #"{"categories":[{"name":"news"},{"name":"vip"}]}"#
        #expect(try await bench.ask(.post, "/v1/push/registrars/it/subscribe", body).status == 202)
        try await bench.deliver()
        let sent = try #require(bench.server.asked.last).body
        #expect(sent.contains(#"{"name":"news","title":"News","steady":true,"active":true}"#), "\(sent)")
        #expect(sent.contains(#"{"name":"vip","title":"vip","steady":false,"active":true}"#), "\(sent)")
        await bench.end()
    }

    @Test("a server's rejection is shown without secrets")
    func confidential() async throws {
        let bench = try await bench()
        let words = "role may not tell \(Self.token) nor 0a1b2c3d4e5f6a7b8c9d0e1f, says the kiosk"
        bench.server.answer(403, #"{"error":3,"error_text":"\#(words)"}"#)
        try await bench.deliver()
        #expect(try await bench.stands("refused"))
        let reason = try await bench.registrar()["reason"]?.string ?? ""
        let told = "[redacted] may not tell [redacted] nor [redacted], says the kiosk"
        #expect(reason.contains(told), "\(reason)")
        await bench.end()
    }

    @Test("delivery and open are two requests, each with its own id")
    func events() async throws {
        let bench = try await bench()
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        let before = bench.server.asked.count
        for event in ["delivery", "open"] {
            let body = #"{"event":"\#(event)","payload":{"_ac_push":1,"_uid":"p-1","_title":"x"}}"#
            #expect(try await bench.ask(.post, "/v1/push/events", body).status == 202)
            try await bench.deliver()
        }
        let sent = bench.server.asked.dropFirst(before)
        #expect(sent.count == 2 && Set(sent.map { $0.fields["Request-ID"] }).count == 2, "\(sent)")
        await bench.end()
    }

    @Test("every request of a subscription has its original identification")
    func sameID() async throws {
        let bench = try await bench()
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        for goal in ["suspend", "unsuspend", "unsubscribe"] {
            #expect(try await bench.ask(.post, "/v1/push/registrars/it/\(goal)").status == 202)
            try await bench.deliver()
            let sent = try #require(bench.server.asked.last)
            #expect((sent.body + sent.address).contains(Self.token), "\(goal): \(sent)")
        }
        await bench.end()
    }

    @Test("a request queued by a former version keeps its id")
    func formerID() async throws {
        let bench = try await bench()
        try await bench.deliver()
        #expect(try await bench.stands("registered"))
        var former = OutboxRequest(.post, "push/open", lane: "push events it", service: "push")
        former.id = "push-it-open-0.0-0123456789abcdef"
        let tag = try #require(try await bench.registrar()["user"]?.string)
        former.note = .members([
            "kind": .string("open"), "registrar": .string("it"), "tag": .string(tag), "time": .integer(1_000),
            "revision": .integer(0), "epoch": .string("0.0"), "push": .string("p-1"),
        ])
        _ = try await bench.outbox.post(former)
        try await bench.deliver()
        let sent = try #require(bench.server.asked.last)
        #expect(sent.fields["Request-ID"] == "d8da4924-6934-8ccf-87bd-406ab7c7410c", "\(sent.fields)")
        await bench.end()
    }
}
