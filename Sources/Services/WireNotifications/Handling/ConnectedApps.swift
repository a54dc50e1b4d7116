import Synchronization
import WireBase
import WireConfig

/// The apps that listen as handlers, and what they are asked.
///
/// One that goes away while it is asked may come back and answer, until the time of the question is over.
final class ConnectedApps: Sendable {
    struct Handler: Sendable {
        let name: String
        let moment: Moment
        let timeout: Duration
    }

    /// What an app has said.
    struct Answer: Sendable {
        var result: HandlerRecord.Result
        var options: [PresentationOption]?
        var reason: String?
    }

    /// What an app is asked: the notification as it is told to it.
    struct Question: Sendable {
        let id: String
        let name: String
        let json: JSONValue
    }

    private struct App {
        let handler: Handler
        let ticket: Int
        let isForeground: Bool
        let ask: @Sendable (Question) -> Void
    }

    private struct Asked {
        let question: Question
        let answered: OneShot
        var answer: Answer?
    }

    private struct State {
        var apps: [App] = []
        var asked: [String: Asked] = [:]
        var last = 0
        var isOver = false
    }

    private let state = Mutex(State())

    /// The apps that handle from now on.
    var handlers: [Handler] { state.withLock { $0.apps.filter { !$0.handler.name.isEmpty }.map(\.handler) } }

    /// Whether any of them is before the user's eyes.
    var isForeground: Bool { state.withLock { $0.apps.contains { $0.isForeground } } }

    func timeout(of name: String) -> Duration? {
        state.withLock { state in state.apps.last { $0.handler.name == name }?.handler.timeout }
    }

    /// Takes an app in, and asks it again what it has not answered; nil where it is over.
    ///
    /// The answer takes it away.
    func connect(_ handler: Handler, isForeground: Bool, _ ask: @escaping @Sendable (Question) -> Void) -> Int? {
        let (ticket, open) = state.withLock { state -> (Int?, [Question]) in
            guard !state.isOver else { return (nil, []) }
            state.last += 1
            if !handler.name.isEmpty { state.apps.removeAll { $0.handler.name == handler.name } }
            state.apps.append(App(handler: handler, ticket: state.last, isForeground: isForeground, ask: ask))
            let open = state.asked.values.filter { $0.question.name == handler.name && $0.answer == nil }
            return (state.last, open.map(\.question))
        }
        for question in open { ask(question) }
        return ticket
    }

    func disconnect(_ ticket: Int) { state.withLock { state in state.apps.removeAll { $0.ticket == ticket } } }

    /// Returns what an app answers; nil where the task is cancelled before.
    func ask(_ question: Question) async -> Answer? {
        let (key, answered) = (Self.key(question.id, question.name), OneShot())
        let app = state.withLock { state in
            state.asked[key] = Asked(question: question, answered: answered)
            return state.apps.last { $0.handler.name == question.name }
        }
        app?.ask(question)
        await answered.wait()
        return state.withLock { $0.asked.removeValue(forKey: key)?.answer }
    }

    /// Takes an answer; false where nobody was asked that, or has answered already.
    func answer(_ id: String, _ name: String, _ answer: Answer) -> Bool {
        let answered = state.withLock { state -> OneShot? in
            let key = Self.key(id, name)
            guard let asked = state.asked[key], asked.answer == nil else { return nil }
            state.asked[key]?.answer = answer
            return asked.answered
        }
        answered?.fire()
        return answered != nil
    }

    func end() { state.withLock { $0.isOver = true } }

    private static func key(_ id: String, _ name: String) -> String { "\(name)\u{0}\(id)" }
}
