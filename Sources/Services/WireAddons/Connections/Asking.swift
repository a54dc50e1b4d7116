import Synchronization
import WireBase

/// Questions with a timeout, and their answers.
final class Asking<Answer: Sendable>: Sendable {
    enum End: Sendable {
        case answered(Answer)
        /// The timeout came first.
        case late
        /// There will be no answer: too many questions wait, the question could not be sent, or the add-on is gone.
        case unanswered
    }

    private struct Question {
        let isOver = OneShot()
        var answer: Answer?
        var isGone = false
    }

    private struct State {
        var last = 0
        var questions: [Int: Question] = [:]
        /// The questions that have timed out and may still be answered.
        var late: Set<Int> = []
    }

    /// The use of an answer.
    enum Timeliness { case inTime, late, nothing }

    private let state = Mutex(State())
    /// The maximum number of open questions.
    private let limit: Int

    init(limit: Int = 64) { self.limit = limit }

    func ask(within limit: Duration, by clock: TimeSource, _ say: (Int) -> Bool) async -> End {
        let question = state.withLock { state -> (id: Int, isOver: OneShot)? in
            guard state.questions.count < self.limit else { return nil }
            state.last += 1
            let question = Question()
            state.questions[state.last] = question
            return (state.last, question.isOver)
        }
        guard let question else { return .unanswered }
        guard say(question.id) else {
            state.withLock { $0.questions[question.id] = nil }
            return .unanswered
        }
        await withTaskGroup(of: Void.self) { race in
            race.addTask { await question.isOver.wait() }
            race.addTask { try? await clock.sleep(limit) }
            await race.next()
            race.cancelAll()
        }
        let end = state.withLock { state in
            let end = state.questions.removeValue(forKey: question.id)
            if let end, end.answer == nil, !end.isGone {
                // Withdrawn questions may never be answered.
                if state.late.count >= 2 * self.limit, let oldest = state.late.min() { state.late.remove(oldest) }
                state.late.insert(question.id)
            }
            return end
        }
        if let answer = end?.answer { return .answered(answer) }
        return end?.isGone ?? true || Task.isCancelled ? .unanswered : .late
    }

    /// Passes an answer to the waiting caller; each question has one answer.
    @discardableResult
    func answer(_ id: Int, _ answer: Answer) -> Timeliness {
        let (isOver, isLate) = state.withLock { state -> (OneShot?, Bool) in
            guard let question = state.questions[id], question.answer == nil else {
                return (nil, state.late.remove(id) != nil)
            }
            state.questions[id]?.answer = answer
            return (question.isOver, false)
        }
        isOver?.fire()
        return isOver != nil ? .inTime : isLate ? .late : .nothing
    }

    /// Whether a late question is still unanswered.
    func isOutstanding(_ id: Int) -> Bool { state.withLock { $0.late.contains(id) } }

    /// Whether any answer is expected.
    var isAwaiting: Bool { state.withLock { !$0.questions.isEmpty || !$0.late.isEmpty } }

    /// Ends all open questions without an answer.
    func giveUp() {
        let waiting = state.withLock { state in
            for id in state.questions.keys { state.questions[id]?.isGone = true }
            state.late = []
            return state.questions.values.map(\.isOver)
        }
        for isOver in waiting { isOver.fire() }
    }
}
