import Testing
import WireConfig
import WireNotificationContract
import WireNotifications
import Workbench

@Suite("The notifications section")
struct NotificationSectionTests {
    @Test(
        "an unused button is reported, unless a handler refers to an unknown button",
        arguments: [("ok", "replly", false), ("replly", "ok", false), ("ok", "unlike", true), ("ok", "reply", false)]
    )
    func unusedButton(first: String, second: String, isTold: Bool) throws {
        let text = """
            handlers:
              one: { on: presentable, present: [banner], buttons: [\(first)] }
              two: { on: presentable, present: [banner], buttons: [\(second)] }
            buttons:
              ok: { label: OK, exec: [./ok] }
              reply: { label: Reply, exec: [./reply] }
            """
        let told: String
        do throws(Unread) {
            told = try SectionInFile<NotificationsSection>(text).warnings.joined(separator: "\n")
        } catch {
            told = error.text
        }
        #expect(told.contains("no handler shows notifications.buttons.reply") == isTold, "\(told)")
    }

    private static func x(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test(
        "a field path has names separated by dots, at most 200 bytes",
        arguments: [
            ("id", true), ("meta.id", true), ("é", true), ("", false), (".id", false), ("id.", false), ("a..b", false),
            ("a b", false), ("a\u{1f}", false), ("a\u{7f}", false), ("a{", false), ("a}", false), ("a|b", false),
            (x(200), true), (x(201), false), ("é\(x(198))", true), ("é\(x(199))", false),
        ]
    )
    func fieldPaths(text: String, isOne: Bool) {
        #expect(((try? FieldPath(parsing: text)) != nil) == isOne)
    }

    @Test(
        "a sub-protocol is an HTTP token of at most 64 bytes",
        arguments: [
            ("tasks.v1", true), ("!#$%&'*+-.^_`|~", true), ("Az09", true), ("", false), ("a b", false), ("a,b", false),
            ("a/b", false), ("é", false), (x(64), true), (x(65), false),
        ]
    )
    func subprotocols(text: String, isOne: Bool) {
        #expect(((try? Subprotocol(parsing: text)) != nil) == isOne)
    }
}
