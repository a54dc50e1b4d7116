import Synchronization
import WireBase
import WireConfig
import WireNotificationContract

/// The apps connected as handlers, and the questions they have not answered.
///
/// An app that disconnects may reconnect and answer until the question times out.
final class ConnectedApps: Sendable {
    struct Handler: Sendable {
        let name: String
        let moment: Moment
        let timeout: Duration
    }

    /// An app's answer.
    struct Answer: Sendable {
        var result: HandlerRecord.Result
        var options: [PresentationOption]?
        var reason: String?
    }

    /// A question to an app: the notification as JSON.
    struct Question: Sendable {
        let id: String
        let name: String
        let json: JSONValue
    }

    private struct App {
        let handler: Handler
        let ticket: Int
        let isForeground: Bool
        let line: AppLine
        /// The number of questions that have timed out since its last answer.
        var missed = 0
    }

    private final class Asked: Sendable {
        let question: Question
        let answered = OneShot()
        let answer = Mutex<Answer?>(nil)

        init(_ question: Question) { self.question = question }

        var isOpen: Bool { answer.withLock { $0 == nil } }
    }

    private struct State {
        var apps: [App] = []
        /// In the order of asking: an app may be asked the same twice, by two taps on one notification.
        var asked: [String: [Asked]] = [:]
        /// The names of disconnected apps that have not reconnected: their answers are not waited for.
        var gone: Set<String> = []
        var last = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// The number of successive timeouts after which an app is disconnected.
    private static let patience = 3

    /// The handlers of the connected apps.
    var handlers: [Handler] { state.withLock { $0.apps.filter { !$0.handler.name.isEmpty }.map(\.handler) } }

    /// Whether any of the apps is in the foreground.
    var isForeground: Bool { state.withLock { $0.apps.contains { $0.isForeground } } }

    func timeout(of name: String) -> Duration? {
        state.withLock { state in state.apps.last { $0.handler.name == name }?.handler.timeout }
    }

    /// Adds an app and repeats its unanswered questions; returns a ticket, or nil after the end.
    ///
    /// The returned ticket disconnects it.
    func connect(_ handler: Handler, isForeground: Bool, _ line: AppLine) -> Int? {
        let (ticket, open) = state.withLock { state -> (Int?, [Question]) in
            guard !state.isOver else { return (nil, []) }
            state.last += 1
            state.gone.remove(handler.name)
            if !handler.name.isEmpty { state.apps.removeAll { $0.handler.name == handler.name } }
            state.apps.append(App(handler: handler, ticket: state.last, isForeground: isForeground, line: line))
            let open = state.asked.values.joined().filter { $0.question.name == handler.name && $0.isOpen }
            return (state.last, open.map(\.question))
        }
        for question in open { line.ask(question) }
        return ticket
    }

    func disconnect(_ ticket: Int) { state.withLock { state in state.apps.removeAll { $0.ticket == ticket } } }

    /// Disconnects an app that does not read or answer: its questions fail for now.
    func release(_ handler: Handler, _ ticket: Int) {
        let asked = state.withLock { state -> [OneShot] in
            state.apps.removeAll { $0.ticket == ticket }
            // Another app of that name has connected in its place.
            guard !state.apps.contains(where: { $0.handler.name == handler.name }) else { return [] }
            state.gone.insert(handler.name)
            return state.asked.values.joined().filter { $0.question.name == handler.name }.map(\.answered)
        }
        for answered in asked { answered.fire() }
    }

    /// Returns an app's answer; nil where the task is cancelled before, or the app is disconnected.
    ///
    /// A missing answer counts as a timeout only where the time was up.
    func ask(_ question: Question, asked: () -> Void = {}, isTimeUp: () -> Bool) async -> Answer? {
        let (key, open) = (Self.key(question.id, question.name), Asked(question))
        let (app, isGone) = state.withLock { state -> (App?, Bool) in
            let app = state.apps.last { $0.handler.name == question.name }
            guard app != nil || !state.gone.contains(question.name) else { return (nil, true) }
            state.asked[key, default: []].append(open)
            return (app, false)
        }
        app?.line.ask(question)
        asked()
        guard !isGone else { return nil }
        await open.answered.wait()
        let isMissed = isTimeUp()
        let (answer, dead) = state.withLock { state -> (Answer?, App?) in
            state.asked[key]?.removeAll { $0 === open }
            if state.asked[key]?.isEmpty ?? false { state.asked[key] = nil }
            let answer = open.answer.withLock { $0 }
            guard answer == nil, isMissed, let app,
                let index = state.apps.firstIndex(where: { $0.ticket == app.ticket })
            else { return (answer, nil) }
            state.apps[index].missed += 1
            return (nil, state.apps[index].missed >= Self.patience ? state.apps[index] : nil)
        }
        if let dead {
            release(dead.handler, dead.ticket)
            dead.line.end("the app did not respond to \(Self.patience) notifications in time")
        }
        return answer
    }

    /// Takes an answer; false where the question is unknown or answered already.
    func answer(_ id: String, _ name: String, _ answer: Answer) -> Bool {
        let answered = state.withLock { state -> OneShot? in
            guard let asked = state.asked[Self.key(id, name)]?.first(where: \.isOpen) else { return nil }
            asked.answer.withLock { $0 = answer }
            for index in state.apps.indices where state.apps[index].handler.name == name {
                state.apps[index].missed = 0
            }
            return asked.answered
        }
        answered?.fire()
        return answered != nil
    }

    /// Ends all questions.
    func end() {
        let apps = state.withLock { state in
            state.isOver = true
            return state.apps
        }
        for app in apps { app.line.close() }
    }

    private static func key(_ id: String, _ name: String) -> String { "\(name)\u{0}\(id)" }
}
