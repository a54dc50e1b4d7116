import Testing
import WireAuthContract
import WireBase
import WireConfig

@testable import WireAuth

enum Gates {
    static func facts(_ session: String = "s", _ rotation: Int = 1) -> SessionFacts {
        SessionFacts(session: session, rotation: rotation, user: nil)
    }

    static let trouble = Trouble(kind: "offline", guidance: "wait", detail: "no way", origin: nil, isTransient: true)

    static let task = SignInTask(number: 1, flow: .browser, ask: .open(url: "https://x"), ends: .zero)

    /// A state machine in each state there is.
    static var gates: [String: SessionStateMachine] {
        func machine(_ events: SessionStateMachine.Event...) -> SessionStateMachine {
            var machine = SessionStateMachine()
            for event in events { _ = machine.handle(event) }
            return machine
        }
        return [
            "signedOut": machine(),
            "signingIn": machine(.signInBegan(task)),
            "signedIn": machine(.granted(facts())),
            "locked": machine(.granted(facts()), .lockClosed),
            "blocked": machine(.signInFailed(trouble, isBlocked: true, of: nil)),
        ]
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let from: String
        let event: SessionStateMachine.Event
        let to: String
        let effects: String
        let name: String

        init(_ from: String, _ name: String, _ event: SessionStateMachine.Event, _ to: String, _ effects: String = "") {
            (self.from, self.event, self.to, self.effects, self.name) = (from, event, to, effects, name)
        }

        var testDescription: String { "\(from), \(name) → \(to)" }
    }

    static let table: [Row] = [
        Row("signedOut", "begun", .signInBegan(task), "signingIn"),
        Row("signedOut", "granted", .granted(facts()), "signedIn", "signedIn announce"),
        Row("signedOut", "found", .found(.session(facts(), isLocked: false)), "signedIn", "signedIn announce"),
        Row(
            "signedOut",
            "found locked",
            .found(.session(facts(), isLocked: true)),
            "locked",
            "signedIn announce locked"
        ),
        Row("signedOut", "locked", .lockClosed, "signedOut"),
        Row("signedOut", "cancelled", .signInCancelled, "signedOut"),
        Row("signedOut", "renewed", .renewed(facts()), "signedIn", "signedIn announce"),
        Row("signedOut", "blocked", .found(.blocked(trouble)), "blocked", "failed report"),
        Row("signedOut", "failed", .signInFailed(trouble, isBlocked: false, of: nil), "signedOut", "failed report"),
        Row("signedOut", "closed", .signInFailed(trouble, isBlocked: true, of: nil), "blocked", "failed report"),
        Row("signedOut", "transient", .renewalFailed(trouble), "signedOut", "failed report"),
        Row("signedOut", "ended", .ended(.expired, nil), "signedOut", "report"),
        Row("signingIn", "begun anew", .signInBegan(task), "signingIn"),
        Row("signingIn", "granted", .granted(facts()), "signedIn", "end signedIn announce"),
        Row("signingIn", "failed", .signInFailed(trouble, isBlocked: false, of: 1), "signedOut", "end failed report"),
        Row("signingIn", "blocked", .signInFailed(trouble, isBlocked: true, of: 1), "blocked", "end failed report"),
        Row("signingIn", "a former one", .signInFailed(trouble, isBlocked: false, of: 7), "signingIn", "failed report"),
        Row("signingIn", "by itself", .signInFailed(trouble, isBlocked: true, of: nil), "signingIn", "failed report"),
        Row("signingIn", "cancelled", .signInCancelled, "signedOut", "end"),
        Row("signingIn", "told why the last one ended", .ended(.expired, trouble), "signingIn", "failed report"),
        Row("signingIn", "told that the last one was blocked", .found(.blocked(trouble)), "signingIn", "failed report"),
        Row("signingIn", "locked", .lockClosed, "signingIn"),
        Row("signingIn", "others signed out", .found(.signedOut(.user)), "signingIn"),
        Row(
            "signingIn",
            "others signed in",
            .found(.session(facts(), isLocked: false)),
            "signedIn",
            "end signedIn announce"
        ),
        Row("signedIn", "begun", .signInBegan(task), "signedIn"),
        Row("signedIn", "renewed", .renewed(facts("s", 2)), "signedIn", "refreshed"),
        Row("signedIn", "found again", .found(.session(facts(), isLocked: false)), "signedIn"),
        Row("signedIn", "found older", .found(.session(facts("s", 0), isLocked: false)), "signedIn"),
        Row("signedIn", "found locked", .found(.session(facts(), isLocked: true)), "locked", "locked"),
        Row("signedIn", "found newer", .found(.session(facts("s", 2), isLocked: false)), "signedIn", "refreshed"),
        Row(
            "signedIn",
            "found another",
            .found(.session(facts("t"), isLocked: false)),
            "signedIn",
            "signedIn announce"
        ),
        Row("signedIn", "another renewed", .renewed(facts("t")), "signedIn", "signedIn announce"),
        Row("signedIn", "cancelled", .signInCancelled, "signedIn"),
        Row("signedIn", "transient", .renewalFailed(trouble), "signedIn", "failed report"),
        Row("signedIn", "locked", .lockClosed, "locked", "locked"),
        Row("signedIn", "unlocked", .lockOpened, "signedIn"),
        Row("signedIn", "ended", .ended(.expired, trouble), "signedOut", "failed signedOut announce report"),
        Row("signedIn", "others signed out", .found(.signedOut(.user)), "signedOut", "signedOut announce report"),
        Row("signedIn", "blocked", .ended(.blocked, trouble), "blocked", "failed signedOut announce report"),
        Row(
            "signedIn",
            "found blocked",
            .found(.blocked(trouble)),
            "blocked",
            "failed signedOut announce report"
        ),
        Row("signedIn", "a login failed", .signInFailed(trouble, isBlocked: false, of: 2), "signedIn", "failed"),
        Row("locked", "locked", .lockClosed, "locked"),
        Row("locked", "unlocked", .lockOpened, "signedIn", "unlocked"),
        Row("locked", "renewed", .renewed(facts("s", 2)), "locked", "refreshed"),
        Row("locked", "found open", .found(.session(facts(), isLocked: false)), "signedIn", "unlocked"),
        Row("locked", "found again", .found(.session(facts(), isLocked: true)), "locked"),
        Row("locked", "found newer", .found(.session(facts("s", 2), isLocked: true)), "locked", "refreshed"),
        Row("locked", "begun", .signInBegan(task), "locked"),
        Row("locked", "a login failed", .signInFailed(trouble, isBlocked: true, of: 2), "locked", "failed"),
        Row("locked", "others signed out", .found(.signedOut(.user)), "signedOut", "signedOut announce report"),
        Row("locked", "ended", .ended(.wiped, nil), "signedOut", "signedOut announce report"),
        Row("locked", "transient", .renewalFailed(trouble), "locked", "failed report"),
        Row("blocked", "begun", .signInBegan(task), "signingIn", "report"),
        Row("blocked", "granted", .granted(facts()), "signedIn", "report signedIn announce"),
        Row("blocked", "others signed out", .found(.signedOut(.user)), "blocked"),
        Row("blocked", "cancelled", .signInCancelled, "blocked"),
        Row("blocked", "blocked again", .found(.blocked(trouble)), "blocked"),
    ]
}

@Suite("The session state machine")
struct SessionStateTests {
    @Test("every event has the specified effect in every state", arguments: Gates.table)
    func table(row: Gates.Row) throws {
        var machine = try #require(Gates.gates[row.from])
        let effects = machine.handle(row.event).map(Self.word).joined(separator: " ")
        #expect(machine.word.rawValue == row.to)
        #expect(effects == row.effects)
    }

    @Test("a repeated failure is reported once, and so is its end")
    func trouble() {
        var machine = SessionStateMachine()
        _ = machine.handle(.granted(Gates.facts()))
        #expect(machine.handle(.renewalFailed(Gates.trouble)).map(Self.word) == ["failed", "report"])
        #expect(machine.handle(.renewalFailed(Gates.trouble)).isEmpty)
        let other = Trouble(kind: "serverError", guidance: "wait", detail: "500", origin: nil, isTransient: true)
        #expect(machine.handle(.renewalFailed(other)).map(Self.word) == ["failed", "report"])
        #expect(machine.trouble?.kind == "serverError")
        #expect(machine.handle(.renewed(Gates.facts("s", 2))).map(Self.word) == ["report", "refreshed"])
        #expect(machine.trouble == nil)
    }

    static func word(_ effect: SessionStateMachine.Effect) -> String {
        switch effect {
        case .emit(.signedIn): "signedIn"
        case .emit(.signedOut): "signedOut"
        case .emit(.locked): "locked"
        case .emit(.unlocked): "unlocked"
        case .emit(.refreshed): "refreshed"
        case .emit(.failed): "failed"
        case .announceUser: "announce"
        case .endSignIn: "end"
        case .report: "report"
        }
    }
}
