import CorewireCLI
import CorewireFile
import WireBase
import WireConfig
import WireCrypto
import WireHost
import WireHTTP
import WireService
import WireTransfer

/// `corewire validate-config --online`: what the file alone tells, and what the servers say to it.
enum OnlineCommand {
    /// How many questions are under way at the same time.
    private static let atOnce = 16

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let limit = try limit(invocation)
        let looked = try ValidateCommand.Looked(at: invocation)
        let questions = OnlineQuestions(looked.validation, only: looked.only)
        return looked.end(adding: questions.notes + (try await answers(to: questions, within: limit)))
    }

    private static func limit(_ invocation: Invocation) throws -> Duration {
        guard let text = invocation.option("online-timeout") else { return .seconds(20) }
        let limit = try invocation.duration(text, option: "online-timeout")
        guard (1...3_600).contains(limit.components.seconds) else {
            throw UsageError("--online-timeout takes 1s to 1h, not \(text.quoted)", for: invocation.path)
        }
        return limit
    }

    private static func answers(to questions: OnlineQuestions, within limit: Duration) async throws -> [Diagnostic] {
        guard !questions.servers.isEmpty || !questions.conversations.isEmpty else { return [] }
        let options = options
        let client: TransferClient
        do throws(TransferFailure) {
            client = try TransferClient(options)
        } catch {
            throw Failure(message: "the servers cannot be asked: \(error.reason)", status: .unavailable)
        }
        let budget = QuestionBudget(limit, by: .host)
        let asking = AskingOnce(client, within: budget)
        let means = OnlineMeans(client: asking, secrecy: OpenSSLSecrecy(), clock: .host)
        let servers = questions.servers.map { server in
            { @Sendable () async -> [Diagnostic] in
                await ServerQuestion(server: server, means: means, budget: budget, options: options).ask()
            }
        }
        let conversations = questions.conversations.map { conversation in
            { @Sendable () async -> [Diagnostic] in
                guard !budget.isOver else { return [conversation.wasNotAsked] }
                return await conversation.check.ask(means).map(conversation.problem)
            }
        }
        let found = await inOrder(servers + conversations)
        await client.stop()
        return found
    }

    private static var options: TransferOptions {
        var options = TransferOptions()
        options.authorities = TransferClient.authorities
        options.userAgent = "corewire/\(Program.version)"
        return options
    }

    /// Does all of it, a few at the same time; what comes of it stands in the order of the questions.
    private static func inOrder(_ questions: [@Sendable () async -> [Diagnostic]]) async -> [Diagnostic] {
        await withTaskGroup(of: (Int, [Diagnostic]).self) { group in
            var rest = questions.enumerated().makeIterator()
            var answers = [[Diagnostic]](repeating: [], count: questions.count)
            for _ in 0..<atOnce {
                guard let (index, question) = rest.next() else { break }
                group.addTask { (index, await question()) }
            }
            while let (index, found) = await group.next() {
                answers[index] = found
                if let (index, question) = rest.next() { group.addTask { (index, await question()) } }
            }
            return answers.flatMap(\.self)
        }
    }
}
