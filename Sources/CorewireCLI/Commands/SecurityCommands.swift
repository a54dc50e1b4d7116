import WireBase
import WireConfig
import WireHTTP
import WireSecurityContract

/// `corewire security`: the findings on this machine.
enum SecurityCommands {
    static let security = Command(
        name: "security",
        summary: "Show the security rules and their findings on this machine.",
        subcommands: [report]
    )

    private static let report = Command(
        name: "report",
        summary: "Show the results of all security rules, and the controls of OWASP MASVS.",
        discussion: """
            Run 'corewire explain RULE' for the meaning of a rule and common mistakes.

            Exit status: 0 no findings, 1 findings, or inconclusive rules.
            """,
        options: RunnerCommands.clientOptions + [
            .init(
                name: "format",
                value: "format",
                help: "text, json or sarif. (default: text)",
                values: .words(["text", "json", "sarif"])
            ),
            .init(name: "now", help: "Evaluate all rules now."),
            .init(name: "controls", help: "Also show the controls that no rule covers, and why."),
        ],
        run: { invocation in
            let format = try invocation.choice("format")
            let paint = Paint(isOn: Console.wantsColour(on: 1))
            let client = try RunnerClient(invocation)
            let isNow = invocation.flag("now")
            let call = isNow ? SecurityCalls.check : SecurityCalls.report
            let reply = try await client.perform(call, NoInput(), within: isNow ? longestCheck : nil)
            let report = reply.answer
            switch format {
            case "json": Console.print(reply.json.text(indented: true) + "\n")
            case "sarif": Console.print(SecuritySARIF.log(of: report.rules).text(indented: true) + "\n")
            default: Console.print(SecurityText.report(report, showsAll: invocation.flag("controls"), paint))
            }
            return report.result == .clear ? .success : .problemsFound
        }
    )

    /// Long enough to hash large files and to ask a server.
    private static let longestCheck = Duration.seconds(120)
}
