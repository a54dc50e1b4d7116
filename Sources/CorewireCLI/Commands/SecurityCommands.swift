/// What was looked for on the machine, from the command line: declared here, done by the runner's program.
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
        options: Array(RunnerCommands.speaking.dropLast()) + [
            .init(
                name: "output",
                value: "format",
                help: "text, json or sarif. (default: text)",
                values: .words(["text", "json", "sarif"])
            ),
            .init(name: "now", help: "Apply all rules now, instead of telling what they came to last."),
            .init(name: "controls", help: "Show the controls that no rule counts for too, and why."),
        ],
        isRunners: true
    )
}
