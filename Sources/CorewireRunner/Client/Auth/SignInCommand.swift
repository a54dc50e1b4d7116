import CorewireCLI
import WireAuthContract
import WireBase
import WireConfig
import WireHost
import WireHTTP
import WireQR

/// `corewire auth login`: starts a sign-in, shows what to do, and waits for its end.
enum SignInCommand {
    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        let showing = try Display(invocation)
        let client = try RunnerClient(invocation)
        let reply = try await client.perform(
            AuthCalls.signIn,
            try request(invocation),
            within: RunnerClient.changeLimit
        )
        guard reply.status == .accepted else {
            showing.show(reply.json) { "signed in\n" }
            return .success
        }
        let task = reply.answer
        let isSeen = Console.isTerminal(1) && !showing.isJSON
        showing.show(reply.json) {
            AuthText.task(task, showing.paint, picture: isSeen ? picture(of: task, showing.paint) : "")
        }
        guard !invocation.flag("no-wait") else { return .success }
        if isSeen, !invocation.flag("no-open"), let url = task.url { DesktopProgram.open(url) }
        return try await wait(client, showing)
    }

    private static func request(_ invocation: Invocation) throws -> SignInRequest {
        let flow = try invocation.choice("flow").flatMap(SignInFlow.init(rawValue:))
        var request = SignInRequest(flow)
        guard let user = invocation.option("user") else { return request }
        guard flow == nil || flow == .password else {
            throw UsageError("--user requires --flow password", for: invocation.path)
        }
        (request.flow, request.userName) = (.password, user)
        request.password = SecretText(try HiddenInput.ask("Password: "))
        return request
    }

    /// The address with the code as a QR code, white on black in any terminal.
    private static func picture(of task: SignInReport, _ paint: Paint) -> String {
        guard let uri = task.completeURI?.shown(upTo: 2_048), let symbol = QRSymbol(uri) else { return "" }
        let lines = symbol.halfBlocks.map { paint.isOn ? "\u{1b}[97;40m\($0)\u{1b}[0m" : $0 }
        return lines.joined(separator: "\n") + "\n\n"
    }

    /// Polls the session until the sign-in has ended; an interrupt does not cancel the sign-in.
    private static func wait(_ client: RunnerClient, _ showing: Display) async throws -> ExitStatus {
        while true {
            let reply = try await client.perform(AuthCalls.status, NoInput())
            switch reply.answer.state {
            case .signingIn: try await TimeSource.host.sleep(.milliseconds(500))
            case .signedIn, .locked:
                let user = try? await client.perform(AuthCalls.user, NoInput())
                let name = user?.answer.name.map { " as \($0.shown(upTo: 400))" } ?? ""
                showing.show(user?.json ?? reply.json) { "\(showing.paint("signed in", .good))\(name)\n" }
                return .success
            case .signedOut, .blocked:
                if showing.isJSON { Console.print(reply.json.text(indented: true) + "\n") }
                Console.printError(AuthText(reply.answer, Paint(isOn: Console.wantsColour(on: 2))).text)
                return .problemsFound
            }
        }
    }
}
