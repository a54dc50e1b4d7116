import Corewire
import CorewireCatalogue
import CorewireCLI
import WireBase
import WireConfig
import WireCrypto
import WireHost
import WireHTTP
import WireService
import WireTransfer

/// `corewire validate-config` with `--local` or `--online`: checks the file, this machine, and the servers.
enum OnlineCommand {
    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let limit = try limit(invocation)
        let looked = try ValidateCommand.FileCheck(at: invocation)
        let local =
            invocation.flag("local")
            ? await LocalCheckup(looked.validation, environment: looked.environment).problems() : []
        guard invocation.flag("online") else { return looked.end(local: local) }
        let questions = OnlineQuestions(looked.validation, only: looked.only)
        return looked.end(
            local: local,
            online: questions.notes + (try await answers(to: questions, of: looked.validation.name, within: limit))
        )
    }

    private static func limit(_ invocation: Invocation) throws -> Duration {
        guard let text = invocation.option("online-timeout") else { return .seconds(20) }
        let limit = try invocation.duration(text, option: "online-timeout")
        guard (1...3_600).contains(limit.components.seconds) else {
            throw UsageError("--online-timeout must be 1s to 1h, not \(text.quoted)", for: invocation.path)
        }
        return limit
    }

    private static func answers(
        to questions: OnlineQuestions,
        of file: String,
        within limit: Duration
    ) async throws -> [Diagnostic] {
        guard !questions.servers.isEmpty || !questions.conversations.isEmpty else { return [] }
        let options = CommandClient.options
        let client = try CommandClient.make(options, orFail: "the servers cannot be checked")
        let budget = QuestionBudget(limit, by: .host)
        let interview = Interview(
            means: OnlineMeans(
                client: AskingOnce(client, within: budget),
                secrecy: OpenSSLSecrecy(),
                clock: .host,
                path: { Files.path($0, beside: file) },
                offered: Abilities([GroupDatabase.inspection(beside: file, .snapshot()) { budget.next }])
            ),
            budget: budget,
            options: options
        )
        let found = await interview.ask(
            questions.servers.map(Interview.Question.server)
                + questions.conversations.map(Interview.Question.conversation)
        )
        await client.stop()
        return found
    }
}
