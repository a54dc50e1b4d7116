import WireBase
import WireConfig
import WireHTTP
import WireSecurityContract

/// `corewire security`: what was looked for on the machine.
enum SecurityCommands {
    static let security = Command(
        name: "security",
        summary: "Show what was looked for on this machine, and what was found.",
        subcommands: [report]
    )

    private static let report = Command(
        name: "report",
        summary: "Show every security rule with what it came to, and the controls of OWASP MASVS.",
        discussion: """
            'corewire explain RULE' says what a rule means and how people get it wrong.

            Exit status: 0 nothing was found, 1 something was, or could not be found out.
            """,
        options: RunnerCommands.asking + [
            .init(
                name: "format",
                value: "format",
                help: "text, json or sarif. (default: text)",
                values: .words(["text", "json", "sarif"])
            ),
            .init(name: "now", help: "Apply all rules now, instead of telling what they came to last."),
            .init(name: "controls", help: "Show the controls that no rule counts for too, and why."),
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

    /// Long enough for large files to be hashed, and a server to be asked.
    private static let longestCheck = Duration.seconds(120)
}
