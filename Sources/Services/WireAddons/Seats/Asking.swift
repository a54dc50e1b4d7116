import Synchronization
import WireBase

/// Questions that wait for their answers; whoever asks waits so long and no longer.
final class Asking<Answer: Sendable>: Sendable {
    enum End: Sendable {
        case answered(Answer)
        /// The time was up first.
        case late
        /// Nobody will answer: too many wait, it could not be said, or whoever was asked is gone.
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
        /// Those that nobody waits for any more, and that may be answered yet.
        var late: Set<Int> = []
    }

    /// What an answer is worth.
    enum Worth { case inTime, late, nothing }

    private let state = Mutex(State())
    /// Beyond so many at once nothing is asked.
    private let limit: Int

    init(limit: Int = 64) { self.limit = limit }

    func ask(within limit: Duration, by clock: Clockwork, _ say: (Int) -> Bool) async -> End {
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
                // Not all are answered one day: what was taken back need not be.
                if state.late.count >= 2 * self.limit, let oldest = state.late.min() { state.late.remove(oldest) }
                state.late.insert(question.id)
            }
            return end
        }
        if let answer = end?.answer { return .answered(answer) }
        return end?.isGone ?? true || Task.isCancelled ? .unanswered : .late
    }

    /// Hands it to whoever waits for it; each question has one answer.
    @discardableResult
    func answer(_ id: Int, _ answer: Answer) -> Worth {
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

    /// Whether one that was late has not been answered since.
    func isOutstanding(_ id: Int) -> Bool { state.withLock { $0.late.contains(id) } }

    /// Whether an answer is still worth something.
    var isAwaiting: Bool { state.withLock { !$0.questions.isEmpty || !$0.late.isEmpty } }

    /// Nobody answers any more what waits now.
    func giveUp() {
        let waiting = state.withLock { state in
            for id in state.questions.keys { state.questions[id]?.isGone = true }
            state.late = []
            return state.questions.values.map(\.isOver)
        }
        for isOver in waiting { isOver.fire() }
    }
}
