import Testing
import WireConfig
import WireHTTP
import WireNotificationContract

@testable import WireNotifications

/// The texts as earlier versions of the program have stored them.
@Suite("The stored form of notifications")
struct StoredFormTests {
    static let push = #"""
        {"version":1,"id":"n1","received":1700000000000,"way":"stream","carrier":"c1","handlers":["a","b"],\#
        "expires":1700000600000,"media":"/p.png","tap":{"button":"ok","time":1700000001000},"update":"d1",\#
        "push":{"data":{"x":[1,null,"é",18446744073709551615,1e400]}}}
        """#
    static let local = #"{"version":1,"id":"n2","received":5,"way":"api","handlers":[],"local":{"title":"T"}}"#
    static let empty = #"{"version":1,"id":"","received":5,"way":"receive","tap":{"time":7},"push":null}"#

    @Test("each stored notification is read, and written in the same form", arguments: [push, local, empty])
    func same(_ text: String) throws {
        let envelope = try NotificationEnvelope(Array(text.utf8))
        #expect(String(decoding: envelope.bytes, as: UTF8.self) == text)
        #expect(envelope.json.text() == text)
    }

    @Test("a stored notification has its content, its handlers and its tap")
    func members() throws {
        let envelope = try NotificationEnvelope(Array(Self.push.utf8))
        #expect(envelope.id == "n1" && envelope.received == 1_700_000_000_000 && envelope.way == "stream")
        #expect(envelope.carrier == "c1" && envelope.handlers == ["a", "b"] && envelope.update == "d1")
        #expect(envelope.expires == 1_700_000_600_000 && envelope.media == "/p.png")
        #expect(envelope.tap?.button == "ok" && envelope.tap?.time == 1_700_000_001_000)
        guard case .push(let payload) = envelope.content else {
            Issue.record("the content is not a push")
            return
        }
        #expect(payload["data"]?["x"]?.array?.count == 5)
    }

    @Test(
        "a notification that cannot be read is damaged, or of a later version",
        arguments: [
            (push.replacing(#""version":1"#, with: #""version":2"#), true), ("{}", false), ("no JSON", false),
            (local.replacing("local", with: "other"), false), (local.replacing(#""id":"n2","#, with: ""), false),
        ]
    )
    func unreadable(_ text: String, isNewer: Bool) throws {
        do throws(JSONMismatch) {
            _ = try NotificationEnvelope(Array(text.utf8))
            Issue.record("the notification was read")
        } catch {
            #expect(error.isOfNewerVersion == isNewer)
        }
    }
}
