import Corewire
import Support
import Synchronization
import Testing

@Suite("Notifications through the Swift API")
struct NotificationsAPITests {
    private static let sections = """
        notifications:
          permission: ask
          handlers: { show: { on: presentable, present: [list] } }
        """

    @Test("code handles and sends notifications, decides the permission, and reads the list")
    func whole() async throws {
        let program = try await EmbeddedProgram(sections: Self.sections)
        let notifications = program.corewire.notifications
        let seen = Mutex<[String]>([])
        let handler = notifications.handleRemote("refresh") { notification in
            seen.withLock { $0.append(notification.json) }
            return .newData
        }
        var newNotification = Corewire.NewNotification()
        newNotification.isSilent = true
        newNotification.data = ["kind": "task"]
        let id = try await notifications.send(newNotification)
        let state = try await notifications.state(of: id, waiting: .seconds(60))
        #expect(state?.contains(#""result":"newData""#) == true, "\(state ?? "")")
        #expect(seen.withLock { $0 } == [#"{"kind":"task"}"#])
        let shown = try await notifications.send(.init(title: "Hi", body: "there"))
        #expect(try await notifications.permission() == .ask)
        try await notifications.setPermission(.granted)
        #expect(try await notifications.state(of: shown, waiting: .seconds(60))?.contains(#""shown":true"#) == true)
        #expect(try await notifications.unread() == 1)
        #expect(try await notifications.markRead(shown))
        #expect(try await notifications.unread() == 0)
        withExtendedLifetime(handler) {}
        await program.stop()
        await #expect { try await notifications.unread() } throws: { error in
            (error as? CorewireError)?.code == .stopped
        }
    }
}
