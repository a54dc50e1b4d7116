import WireBase
import WireConfig
import WireHTTP

/// `corewire console`: prints a link that opens a session once; standard output has the link alone.
enum ConsoleCommand {
    static let command = Command(
        name: "console",
        summary: "Print a link that opens the console once.",
        discussion: "Standard output is only the link: xdg-open \"$(corewire console)\"",
        options: RunnerCommands.outputOptions,
        run: run
    )

    private static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let client = try RunnerClient(invocation)
        let json = try await client.ask(.post, "/v1/console/link").wellDone(NoFailureKind.self).json()
        guard let url = json["url"]?.string, url.hasPrefix("http://"),
            url.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw Failure.foreign(client.socket) }
        showing.show(json) { "\(url)\n" }
        if !showing.isJSON, Console.isTerminal(1) {
            Console.printError("valid once; open it in a browser on this machine\n")
        }
        return .success
    }
}
