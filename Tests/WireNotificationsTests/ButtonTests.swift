import Support
import Testing
import WireBase
import WireConfig
import WireHTTP
import WireService
import Workbench

@Suite("Buttons, links and texts")
struct ButtonTests {
    private static func buttons(_ known: JSONValue) -> [String] {
        (known["notification"]?["buttons"]?.array ?? []).compactMap { button in
            "\(button["name"]?.string ?? "")=\(button["label"]?.string ?? "")"
        }
    }

    @Test("buttons of handlers come first, then those of the push")
    func merged() async throws {
        let bench = try await NotificationBench(
            """
            permission: granted
            links: { schemes: [tasks], exec: [open, "{{ link }}"] }
            handlers:
              one: { on: presentable, present: [list], buttons: [a, b, button1] }
              two: { on: presentable, present: [list], buttons: [b, c] }
            buttons:
              a: { label: A, open: "tasks://a" }
              b: { label: B, open: "tasks://b" }
              c: { label: C, open: "tasks://c" }
              button1: { label: D, open: "tasks://d" }
            """
        )
        let sender =
            #"[{"label":"X","link":"tasks://x"},{"label":"Y","link":"tasks://y"},{"label":"Z","link":"tasks://z"}]"#
        try await bench.send(#"{"id":"n","title":"x","buttons":\#(sender)}"#)
        let known = try await bench.done("n")
        #expect(Set(Self.buttons(known).prefix(4)) == ["a=A", "b=B", "button1=D", "c=C"])
        #expect(Self.buttons(known).suffix(3) == ["button0=X", "sender1=Y", "button2=Z"])
        for (name, link) in [("button1", "tasks://d"), ("sender1", "tasks://y"), ("button2", "tasks://z")] {
            let answer = try await bench.ask(.post, "/v1/notifications/n/tap", #"{"button":"\#(name)"}"#)
            #expect(answer.status == 202 && answer.json["refused"] == nil)
            #expect(await eventually { bench.programs.calls(of: "open").last == [link] })
        }
        await bench.end()
    }

    @Test("a tap on a rejected link reports the reason, and counts as opened")
    func refused() async throws {
        let bench = try await NotificationBench(
            """
            permission: granted
            handlers:
              show: { on: presentable, present: [list], buttons: [reply] }
              note: { on: tap, exec: [note] }
            buttons: { reply: { label: Reply, open: "{{ target | default: \\"https://x.example\\" }}" } }
            """
        )
        let body = #""notification":{"title":"x","click_action":"ftp://x.example/1"},"from":"crm""#
        try await bench.send(#"{"payload":{"uid":"1","data":{"target":"gopher://x.example"},\#(body)}}"#)
        _ = try await bench.done("crm:1")
        let path = "/v1/notifications/crm:1"
        for (tap, scheme) in [("", "ftp"), (#"{"button":"reply"}"#, "gopher")] {
            let answer = try await bench.ask(.post, "\(path)/tap", tap)
            #expect(answer.status == 202)
            #expect(answer.json["refused"]?.string?.contains("'\(scheme)'") == true, "\(answer.json.text())")
            #expect(answer.json["help"]?.string?.contains("notifications.links.schemes") == true)
        }
        #expect(await eventually { bench.programs.calls(of: "note").count == 2 })
        #expect(await eventually { bench.servers.told.contains { $0.event == "open" } })
        #expect(bench.events("tapped").allSatisfy { $0["refused"] != nil })
        #expect(try await bench.ask(.get, path).json["notification"]?["read"]?.boolean == true)
        await bench.end()
    }

    @Test(
        "a localized text is that of the file, else of the push, else the key with its arguments",
        arguments: [
            (#""aps":{"alert":{"loc-key":"DUE","loc-args":["Ada",3]}}"#, nil, "Ada is due in 3 days, 100%"),
            (#""aps":{"alert":{"loc-key":"OTHER","loc-args":["Ada"]}}"#, nil, "OTHER (Ada)"),
            (#""aps":{"alert":{"loc-key":"OTHER","body":"own"}}"#, nil, "own"),
            (#""aps":{"alert":{"title-loc-key":"NAMED","title-loc-args":["x","y"],"body":"b"}}"#, "y before x", "b"),
            (
                #""notification":{"title_loc_key":"NAMED","title_loc_args":["x","y"],"body_loc_key":"K"}"#,
                "y before x",
                "K"
            ),
            (
                #""aps":{"alert":{"title-loc-key":"OTHER","subtitle-loc-key":"NAMED","subtitle-loc-args":["x","y"],"body":"b"}}"#,
                "OTHER", "b"
            ),
            (#""notification":{"body_loc_key":"DUE","body_loc_args":"[\"Bob\"]"}"#, nil, "Bob is due in  days, 100%"),
        ] as [(String, String?, String)]
    )
    func localized(members: String, title: String?, text: String) async throws {
        let bench = try await NotificationBench(
            """
            permission: granted
            handlers: { show: { on: presentable, present: [list] }, note: { on: presentable, exec: [note, "{{ body }}"] } }
            strings: { DUE: "%@ is due in %d days, 100%%", NAMED: "%2$@ before %1$s" }
            """
        )
        try await bench.send(#"{"payload":{"from":"crm","uid":"1",\#(members)}}"#)
        let known = try await bench.done("crm:1")
        #expect(known["silent"]?.boolean == false)
        #expect(known["notification"]?["title"]?.string == title)
        #expect(known["notification"]?["body"]?.string == text)
        let subtitle = members.contains("subtitle") ? "y before x" : nil
        #expect(known["notification"]?["subtitle"]?.string == subtitle)
        #expect(bench.programs.calls(of: "note") == [[text]])
        await bench.end()
    }
}
