import CorewireCatalogue
import WireConfig
import WireService
import WireTransfer

/// Runs all checks with limited concurrency.
struct Interview: Sendable {
    enum Question: Sendable {
        case server(OnlineQuestions.Server)
        case conversation(OnlineQuestions.Conversation)
    }

    let means: OnlineMeans
    let budget: QuestionBudget
    let options: TransferOptions

    /// The maximum number of concurrent checks.
    private static let atOnce = 16

    /// Returns the results in order.
    func ask(_ questions: [Question]) async -> [Diagnostic] {
        await withTaskGroup(of: (Int, [Diagnostic]).self) { group in
            var rest = questions.enumerated().makeIterator()
            var answers = [[Diagnostic]](repeating: [], count: questions.count)
            for _ in 0..<Self.atOnce {
                guard let (index, question) = rest.next() else { break }
                group.addTask { (index, await ask(question)) }
            }
            while let (index, found) = await group.next() {
                answers[index] = found
                if let (index, question) = rest.next() { group.addTask { (index, await ask(question)) } }
            }
            return answers.flatMap(\.self)
        }
    }

    private func ask(_ question: Question) async -> [Diagnostic] {
        switch question {
        case .server(let server):
            return await ServerQuestion(server: server, means: means, budget: budget, options: options).ask()
        case .conversation(let conversation):
            guard !budget.isOver else { return [conversation.wasNotAsked] }
            return await conversation.check.ask(means).map(conversation.problem)
        }
    }
}
