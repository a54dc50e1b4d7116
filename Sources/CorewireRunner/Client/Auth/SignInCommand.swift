import CorewireCLI
import WireBase
import WireConfig
import WireHost
import WireHTTP

/// `corewire auth login`: begins a sign-in, shows what to do, and waits for it.
enum SignInCommand {
    static let deeds: Deeds = ["auth login": run]

    static func run(_ invocation: Invocation) async throws -> ExitStatus {
        try await invocation.answering {
            let showing = try Showing(invocation)
            let flow = try invocation.choice("flow")
            let client = try RunnerClient(invocation)
            let answer = try await client.tell(.post, "/v1/auth/login", try wish(flow, invocation)).wellDone()
            let task = try answer.json()
            guard task["state"]?.string != nil else { throw Failure.foreign(client.socket) }
            guard answer.status == .accepted else {
                showing.show(task) { "signed in\n" }
                return .success
            }
            let isSeen = Console.isTerminal(1) && !showing.isJSON
            showing.show(task) { SignInText(task, showing.paint, showsCode: isSeen).text }
            guard !invocation.flag("no-wait") else { return .success }
            if isSeen, !invocation.flag("no-open"), let url = task["url"]?.string { DesktopProgram.open(url) }
            return try await wait(client, showing)
        }
    }

    private static func wish(_ flow: String?, _ invocation: Invocation) throws -> JSONValue {
        guard let user = invocation.option("user") else {
            return .members(["flow": flow.map(JSONValue.string)])
        }
        guard flow == nil || flow == "password" else {
            throw UsageError("--user is for --flow password", for: invocation.path)
        }
        let password = try HiddenInput.ask("Password: ")
        return .members([
            "flow": .string("password"), "username": .string(user), "password": .string(password.reveal()),
        ])
    }

    /// Asks how it is until it is decided; whoever interrupts this leaves the sign-in to its end.
    private static func wait(_ client: RunnerClient, _ showing: Showing) async throws -> ExitStatus {
        while true {
            let json = try await client.get("/v1/auth")
            switch json["state"]?.string {
            case "signingIn": try await Clockwork.host.sleep(.milliseconds(500))
            case "signedIn", "locked":
                let user = try? await client.get("/v1/auth/user")
                showing.show(user ?? json) {
                    "\(showing.paint("signed in", .good))\(user?.line("name").map { " as \($0)" } ?? "")\n"
                }
                return .success
            default:
                if showing.isJSON { Console.print(json.text(indented: true) + "\n") }
                Console.say(AuthText(json, Paint(isOn: Console.wantsColour(on: 2))).text)
                return .problemsFound
            }
        }
    }
}
